package io.wellkeeper.micrometer;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LockGroupsTest {

    @ParameterizedTest
    @CsvSource({
        "nightly-report,                                        nightly-report",
        "orders/42,                                             orders/*",
        "orders/42/lines/7,                                     orders/*/lines/*",
        "orders:42:lines,                                       orders:*:lines",
        "user_1234,                                             user_*",
        "tenant42,                                              tenant*",
        "2026-11-25T14:31,                                      *-*-*T*:*",
        "order/550e8400-e29b-41d4-a716-446655440000/pay,        order/*/pay",
        "order/FEEDBEEF-DEAD-BEEF-CAFE-ABCDEFABCDEF,            order/*",
        "blob/d41d8cd98f00b204e9800998ecf8427e,                 blob/*",
        "blob/cafebabe,                                         blob/*",
        "session/3fA9c,                                         session/*",
        "café/bad/decade/face,                                  café/bad/decade/face",
        "conto/٤٢,                                              conto/*",
    })
    void of_aName_leavesOutWhatLooksLikeAKey(String name, String group) {
        LockGroups groups = new LockGroups();

        assertThat(groups.of(name)).isEqualTo(group);
        assertThat(groups.of(name)).as("when it is remembered").isEqualTo(group);
    }

    /** Names that are made of the parts on which the expression decides, beside what the expression itself makes of them. */
    @Test
    void of_anyName_isWhatTheExpressionSays() {
        Pattern key = Pattern.compile("(?<![\\p{L}\\p{Nd}])(?:"
                + "\\p{XDigit}{8}(?:-\\p{XDigit}{4}){3}-\\p{XDigit}{12}|\\p{XDigit}*[0-9]\\p{XDigit}*|\\p{XDigit}{8,})"
                + "(?![\\p{L}\\p{Nd}])|\\p{Nd}+");
        String uuid = "550e8400-e29b-41d4-a716-446655440000";
        String[] parts = {
            uuid,
            uuid.substring(1),
            uuid.replaceAll("[0-9]", "a"),
            "cafebabe",
            "CAFEBAB",
            "a",
            "F",
            "g",
            "0",
            "42",
            "-",
            "/",
            "_",
            "é",
            "ª",
            "٤",
            "\uD835\uDFD9", // a digit
            "\uD835\uDC00", // a letter
            "\uD83D\uDE00",
            "\uD835",
            "\uDFD9"
        };
        Random random = new Random(33);
        for (int i = 0; i < 100_000; i++) {
            String name = random.ints(random.nextInt(8), 0, parts.length)
                    .mapToObj(part -> parts[part])
                    .collect(joining());
            assertThat(Keys.leaveOut(name)).as(name).isEqualTo(key.matcher(name).replaceAll("*"));
        }
    }

    @Test
    void of_moreNamesThanThereIsRoomFor_givesOther() {
        LockGroups groups = new LockGroups(name -> name, 100);

        Set<String> all = new TreeSet<>();
        IntStream.range(0, 5_000).forEach(i -> all.add(groups.of("name" + i)));

        assertThat(all).hasSize(101).contains("name0", "name99", LockGroups.OTHER);
        assertThat(groups.of("name99")).isEqualTo("name99");
        assertThat(groups.of("name4999")).isEqualTo(LockGroups.OTHER);
    }

    @Test
    void of_namesFromManyThreads_givesNoMoreGroupsThanThereMayBe() {
        LockGroups groups = new LockGroups(name -> name, 100);

        Set<String> all = new TreeSet<>(IntStream.range(0, 50_000)
                .parallel()
                .mapToObj(i -> groups.of("name" + i % 500))
                .toList());

        assertThat(all).hasSize(101);
    }

    @Test
    void of_nameAskedForAgainSoon_isGroupedOnceHoweverManyNamesThereWere() {
        AtomicInteger asked = new AtomicInteger();
        LockGroups groups = new LockGroups(
                name -> {
                    asked.incrementAndGet();
                    return "all";
                },
                1);

        for (int i = 0; i < 5_000; i++) {
            groups.of("name" + i);
            groups.of("name" + i);
            groups.of("always");
        }

        assertThat(asked).hasValue(5_001);
    }

    @Test
    void of_longHostileName_isQuick() {
        assertThat(new LockGroups().of("a".repeat(511) + "z")).hasSize(512);
        assertThat(new LockGroups().of("a".repeat(512))).isEqualTo("*");
    }

    @Test
    void constructor_lessThanNone_isRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> new LockGroups(name -> name, -1));
    }
}
