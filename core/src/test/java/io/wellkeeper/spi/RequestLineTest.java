package io.wellkeeper.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RequestLineTest {

    private static final int MANY = 1_000;

    private final RequestLine<Call> line = new RequestLine<>();
    private long last; // number

    private record Call(@Nullable String lock, boolean isTaking, boolean isSlow, long number)
            implements RequestLine.Request {

        private String text() {
            return (isTaking ? "take " : "other ") + lock;
        }
    }

    private Call take(String lock) {
        return add(new Call(lock, true, false, ++last));
    }

    private Call other(@Nullable String lock) {
        return add(new Call(lock, false, false, ++last));
    }

    private Call add(Call call) {
        line.add(call);
        return call;
    }

    private void takeMany() {
        for (int i = 0; i < MANY; i++) {
            take("many/" + i);
        }
    }

    private Call next() {
        return Objects.requireNonNull(line.poll());
    }

    /** Those that come next. */
    private List<String> next(int count) {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(next().text());
        }
        return all;
    }

    @Test
    void poll_nothing_isNull() {
        assertThat(line.poll()).isNull();
        assertThat(line.poll("lock")).isNull();
        assertThat(line.peekFirst("lock")).isNull();
        assertThat(line.isEmpty()).isTrue();
    }

    @Test
    void poll_behindManyTakes_whatTakesNothingComesSoon() {
        takeMany();
        other("held");
        other(null);

        assertThat(next(4)).containsExactlyInAnyOrder("other held", "take many/0", "other null", "take many/1");
    }

    @Test
    void poll_aboutNoLock_eachHasItsTurn() {
        other(null);
        other(null);

        assertThat(next(2)).containsExactly("other null", "other null");
        assertThat(line.isEmpty()).isTrue();
    }

    @Test
    void poll_behindManyTakesOfItsLock_keepsNoOtherLockWaiting() {
        for (int i = 0; i < MANY; i++) {
            take("busy");
        }
        other("busy");
        other("held");

        assertThat(next(4)).contains("other held");
    }

    @Test
    void poll_othersWithoutEnd_takeComesSoon() {
        takeMany();
        int taken = 0;
        for (int i = 0; i < MANY; i++) {
            other("held/" + i);
            other("also-held/" + i);
            if (next().isTaking()) {
                taken++;
            }
        }

        assertThat(taken).isEqualTo(MANY / 2);
    }

    @Test
    void poll_takeOfTheSameLock_goesBeforeTheOtherThatCameLater() {
        takeMany();
        take("busy");
        other("busy");

        assertThat(next(4)).containsSubsequence("take busy", "other busy");
    }

    @Test
    void putBack_sameNumber_keepsItsPlace() {
        take("first");
        takeMany();

        line.putBack(next());

        assertThat(next(1)).containsExactly("take first");
    }

    @Test
    void putBack_newNumber_othersComeFirstAndThoseOfItsLockBehindIt() {
        take("first");
        other("first");
        takeMany();
        next(); // for the other's sake

        line.putBack(new Call("first", true, true, ++last));

        assertThat(next(MANY + 2)).endsWith("take first", "other first");
    }

    @Test
    void pollOfALock_several_isTheFirstOfThem() {
        takeMany();
        Call first = take("lock");
        Call second = other("lock");

        assertThat(line.peekFirst("lock")).isSameAs(first);
        assertThat(line.poll("lock")).isSameAs(first);
        assertThat(line.poll("lock")).isSameAs(second);
        assertThat(line.poll("lock")).isNull();
        assertThat(next(MANY)).doesNotContain("take lock", "other lock");
    }

    @Test
    void clear_all_isEmptyAndReturnsThem() {
        takeMany();
        Call first = take("lock");
        Call second = other("lock");
        other(null);

        assertThat(line.clear()).hasSize(MANY + 3).containsSubsequence(first, second);
        assertThat(line.isEmpty()).isTrue();
        assertThat(line.poll()).isNull();
    }

    /** Whatever comes and is put back: nothing gets lost, and what is about one lock comes in the order of the calls. */
    @Test
    void poll_anything_nothingIsLostAndTheOrderOfEachLockIsKept() {
        Random random = new Random(7);
        Map<String, Deque<Call>> expected = new HashMap<>();
        int waiting = 0;
        for (int i = 0; i < 200 * MANY; i++) {
            if (random.nextInt(1 + waiting) < 20) {
                String lock = "lock/" + random.nextInt(10);
                Call call = random.nextBoolean() ? take(lock) : other(lock);
                expected.computeIfAbsent(lock, unused -> new ArrayDeque<>()).add(call);
                waiting++;
            } else {
                Call call = random.nextInt(10) > 0 ? next() : line.poll("lock/" + random.nextInt(10));
                if (call == null) {
                    continue;
                }
                Deque<Call> calls = Objects.requireNonNull(expected.get(call.lock()));
                assertThat(call).isSameAs(calls.remove());
                if (random.nextBoolean()) {
                    waiting--;
                } else {
                    Call again = random.nextBoolean()
                            ? call
                            : new Call(call.lock(), call.isTaking(), random.nextBoolean(), ++last);
                    calls.addFirst(again);
                    line.putBack(again);
                }
            }
        }

        assertThat(line.clear()).hasSize(waiting);
    }
}
