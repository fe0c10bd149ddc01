package io.wellkeeper.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.wellkeeper.spi.LockNames;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Collectors;
import org.apache.zookeeper.common.PathUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class LockPathsTest {

    private static final String ROOT = "/wellkeeper/locks";

    static List<String> hostileNames() {
        return List.of(
                " ",
                "  a ",
                "/",
                "//",
                "a/",
                "/a",
                "a//b",
                ".",
                "..",
                "./x",
                "../x",
                "a/../b",
                "a/./b",
                "...",
                "%",
                "%%",
                "%2F",
                "%2E",
                "%.lock",
                ".lock",
                "a.lock",
                "a.lock/b",
                "a.lock.lock",
                ".lock/.lock",
                "a%2Elock",
                "zookeeper",
                "zookeeper/x",
                "zookeeper.lock",
                "a\r\nb",
                "\t",
                "\u001b[31m",
                "\u007f",
                "\u0085",
                "a\u202eb",
                "\u200b",
                "z\u00e1mek-\u9501-\ud83d\udd12",
                "\u00e9",
                "e\u0301",
                "A",
                "a",
                "a ",
                "\ue000",
                "\uf8ff",
                "\ufff0",
                "\uffff",
                "\uffef",
                "{a}b{c}",
                "*?[a]",
                "'; drop table --",
                "${jndi:ldap://x}",
                "<script>alert(1)</script>",
                "=cmd()",
                "-rf",
                "orders",
                "orders/42",
                "\u8ba2\u5355/\u56db\u5341\u4e8c",
                "x".repeat(512),
                "\u9501".repeat(170),
                "\ud83d\udd12".repeat(128),
                "/".repeat(512),
                "a/".repeat(256),
                "%".repeat(512),
                "\u0001".repeat(512));
    }

    @ParameterizedTest
    @MethodSource("hostileNames")
    void path_hostileName_isAllowedStaysBelowTheRootAndReadsBack(String name) {
        checkOne(LockNames.check(name));
    }

    @ParameterizedTest
    @CsvSource({
        "orders, /wellkeeper/locks/orders.lock",
        "orders/42, /wellkeeper/locks/orders/42.lock",
        "订单/四十二, /wellkeeper/locks/订单/四十二.lock",
        "a//b, /wellkeeper/locks/a/%/b.lock",
        "a.lock/b, /wellkeeper/locks/a%2Elock/b.lock",
        "100%, /wellkeeper/locks/100%25.lock",
    })
    void path_ordinaryName_isReadable(String name, String path) {
        assertThat(LockPaths.path(ROOT, name)).isEqualTo(path);
    }

    @Test
    void path_randomNames_neverCollideAndReadBack() {
        Random random = new Random(42);
        String[] pieces = {
            "/",
            ".",
            "..",
            "%",
            "2E",
            "%2E",
            ".lock",
            "lock",
            "zookeeper",
            "a",
            "A",
            " ",
            "\u0001",
            "\u009f",
            "\ud83d\udd12",
            "\ue000",
            "\uffff",
            "\u9501",
            "%00",
            "-"
        };
        Map<String, String> nameOfPath = new HashMap<>();
        for (int round = 0; round < 50_000; round++) {
            String name = random.ints(1 + random.nextInt(6), 0, pieces.length)
                    .mapToObj(i -> pieces[i])
                    .collect(Collectors.joining());
            checkOne(name);
            String before = nameOfPath.put(LockPaths.path(ROOT, name), name);
            assertThat(before).isIn(null, name);
        }
    }

    @Test
    void path_lockAndDirectoryOfTheSameName_areDifferentNodes() {
        List<String> locks =
                hostileNames().stream().map(name -> LockPaths.path(ROOT, name)).toList();
        List<String> directories = hostileNames().stream()
                .flatMap(name -> LockPaths.directories(ROOT, LockPaths.path(ROOT, name)).stream())
                .distinct()
                .toList();

        assertThat(Collections.disjoint(locks, directories)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"%2e", "%41", "%2", "a%", "%ZZ", "%C3", "..", "%ED%A0%80", "x.lock"})
    void decode_whatNoNameIsEncodedAs_isEmpty(String node) {
        assertThat(LockPaths.decode(node)).isEmpty();
    }

    private static void checkOne(String name) {
        String path = LockPaths.path(ROOT, name);
        assertThatCode(() -> PathUtils.validatePath(path)).doesNotThrowAnyException();
        assertThat(path).startsWith(ROOT + "/").endsWith(LockPaths.MARKER);
        List<String> directories = LockPaths.directories(ROOT, path);
        assertThat(directories).noneMatch(LockPaths::isLock);

        List<String> nodes =
                new ArrayList<>(List.of(path.substring(ROOT.length() + 1).split("/", -1)));
        String last = nodes.remove(nodes.size() - 1);
        List<String> segments = new ArrayList<>(
                nodes.stream().map(LockPaths::decode).map(Optional::orElseThrow).toList());
        segments.add(LockPaths.lockSegment(last).orElseThrow());
        assertThat(String.join("/", segments)).isEqualTo(name);
    }
}
