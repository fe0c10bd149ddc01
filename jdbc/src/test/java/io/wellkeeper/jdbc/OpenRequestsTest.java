package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.jdbc.OpenRequests.Open;
import io.wellkeeper.jdbc.OpenRequests.Outcome;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class OpenRequestsTest {

    private static final int MANY = 1_000;
    private static final long SHORT = Duration.ofMillis(5).toNanos();
    private static final long LONG = Duration.ofSeconds(1).toNanos();

    private final OpenRequests line = new OpenRequests();

    private CompletableFuture<List<Object[]>> add(Step step, String lock) {
        return line.add(step, Map.of("name", lock, "me", "i", "owner", "i"));
    }

    private void takeMany() {
        for (int i = 0; i < MANY; i++) {
            add(Step.TAKE, "many/" + i);
        }
    }

    private Open next() {
        return Objects.requireNonNull(line.poll());
    }

    private static String text(Open request) {
        return request.step() + " " + request.parameters().get("name");
    }

    /** Those that come next. */
    private List<String> next(int count) {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(text(next()));
        }
        return all;
    }

    @Test
    void poll_nothing_isNull() {
        assertThat(line.poll()).isNull();
        assertThat(line.isEmpty()).isTrue();
    }

    @Test
    void poll_behindManyTakes_whatGivesBackComesSoon() {
        takeMany();
        add(Step.REMOVE, "held");
        line.add(Step.MINE, Map.of());

        assertThat(next(4)).containsExactlyInAnyOrder("REMOVE held", "TAKE many/0", "MINE null", "TAKE many/1");
    }

    @Test
    void poll_behindManyWhoAskForTicketsWithTheNotice_whatGivesBackComesSoon() {
        for (int i = 0; i < MANY; i++) {
            add(Step.TAKE, "semaphore/" + i);
            add(Step.NOTICE_OF_TICKET, "semaphore/" + i);
        }
        add(Step.REMOVE, "held");

        assertThat(next(2)).contains("REMOVE held");
    }

    @Test
    void poll_noticeAlone_goesBeforeMostTakes() {
        takeMany();
        add(Step.NOTICE, "latch");

        assertThat(next(2)).contains("NOTICE latch");
    }

    @Test
    void poll_noticeOfALockThatWasAskedForBehindManyTakes_comesSoon() {
        takeMany();
        add(Step.TAKE, "semaphore");
        add(Step.NOTICE, "semaphore");

        assertThat(next(3)).contains("NOTICE semaphore");
    }

    @Test
    void poll_newsOfALockThatIsAskedForBehindManyTakes_comeSoon() {
        takeMany();
        add(Step.TAKE, "semaphore");
        line.add(Step.NEWS, Map.of("names", new String[] {"semaphore"}));

        assertThat(next(2)).contains("NEWS null");
    }

    @Test
    void add_manyHeartbeats_areOne() {
        CompletableFuture<List<Object[]>> first = line.add(Step.HEARTBEAT, Map.of());
        for (int i = 0; i < MANY; i++) {
            assertThat(line.add(Step.HEARTBEAT, Map.of())).isSameAs(first);
        }

        assertThat(next().result()).isSameAs(first);
        assertThat(line.isEmpty()).isTrue();
    }

    @Test
    void add_heartbeatIsBeingCarriedOut_isAnother() {
        CompletableFuture<List<Object[]>> first = line.add(Step.HEARTBEAT, Map.of());
        next();

        assertThat(line.add(Step.HEARTBEAT, Map.of())).isNotSameAs(first);
    }

    @Test
    void poll_heartbeat_goesBeforeEverything() {
        takeMany();
        add(Step.REMOVE, "held");
        line.add(Step.HEARTBEAT, Map.of());

        assertThat(next().step()).isEqualTo(Step.HEARTBEAT);
    }

    @Test
    void putBack_connectionBroke_keepsItsPlace() {
        add(Step.TAKE, "first");
        takeMany();

        line.putBack(next(), Outcome.BROKEN, LONG);

        assertThat(next(1)).containsExactly("TAKE first");
    }

    @Test
    void putBack_connectionBrokeBelowTheNoticeOfATicket_keepsItsPlace() {
        add(Step.TAKE, "semaphore");
        add(Step.NOTICE_OF_TICKET, "semaphore");
        takeMany();
        next();

        line.putBack(next(), Outcome.BROKEN, LONG);

        assertThat(next(1)).containsExactly("NOTICE_OF_TICKET semaphore");
    }

    @Test
    void putBack_noConnection_keepsItsPlace() {
        add(Step.TAKE, "first");
        takeMany();

        for (int i = 0; i < MANY; i++) {
            line.putBack(next(), Outcome.UNREACHABLE, LONG);
        }

        assertThat(next(1)).containsExactly("TAKE first");
    }

    @Test
    void putBack_removalBreaksEveryConnection_othersComeFirst() {
        add(Step.REMOVE, "first");
        takeMany();
        for (int i = 0; i < 3; i++) {
            Open removal = next();
            assertThat(text(removal)).isEqualTo("REMOVE first");
            line.putBack(removal, Outcome.BROKEN, SHORT);
        }

        assertThat(next(MANY + 1)).endsWith("REMOVE first");
    }

    @Test
    void putBack_othersWereBrieflyInTheWay_removalComesSoon() {
        takeMany();
        add(Step.REMOVE, "held");
        Open removal = next();
        assertThat(removal.step()).isEqualTo(Step.REMOVE);

        line.putBack(removal, Outcome.IN_THE_WAY, SHORT);

        assertThat(next(2)).contains("REMOVE held");
    }

    @Test
    void putBack_othersWereInTheWayForLong_allOthersComeFirst() {
        takeMany();
        add(Step.REMOVE, "held");
        Open removal = next();

        line.putBack(removal, Outcome.IN_THE_WAY, LONG);
        add(Step.DESCRIBE, "held");

        assertThat(next(MANY + 2)).endsWith("REMOVE held", "DESCRIBE held");
    }

    @Test
    void putBack_takeHadOthersInTheWay_othersComeFirst() {
        add(Step.TAKE, "first");
        takeMany();

        line.putBack(next(), Outcome.IN_THE_WAY, SHORT);

        assertThat(next(MANY + 1)).endsWith("TAKE first");
    }

    @ParameterizedTest
    @EnumSource(names = {"NAMES", "ORPHANS"})
    void putBack_looksAtAllLocksForTooLong_othersComeFirst(Step looking) {
        line.add(looking, Map.of());
        Open slow = next();
        for (int i = 0; i < 3; i++) { // from then on it is known to be slow
            line.putBack(slow, Outcome.BROKEN, LONG);
            slow = next();
        }
        takeMany();
        line.putBack(slow, Outcome.BROKEN, LONG);

        assertThat(next(MANY + 1)).endsWith(looking + " null");
    }

    @Test
    void putBack_heartbeat_isNext() {
        takeMany();
        line.add(Step.HEARTBEAT, Map.of());

        line.putBack(next(), Outcome.BROKEN, LONG);

        assertThat(next().step()).isEqualTo(Step.HEARTBEAT);
    }

    @Test
    void pollExchangeOf_nextTakesTheSameLock_isThat() {
        takeMany();
        add(Step.REMOVE, "held");
        add(Step.TAKE, "held");

        Open removal = next();

        assertThat(line.pollExchangeOf(removal))
                .extracting(OpenRequestsTest::text)
                .isEqualTo("TAKE held");
        assertThat(line.pollExchangeOf(removal)).isNull();
    }

    @Test
    void pollExchangeOf_removesTheTicketOfAnother_isNothing() {
        line.add(Step.REMOVE, Map.of("name", "held", "me", "i", "owner", "another"));
        add(Step.TAKE, "held");

        assertThat(line.pollExchangeOf(next())).isNull();
    }

    @Test
    void pollExchangeOf_somethingElseIsNext_isNothing() {
        add(Step.REMOVE, "held");
        add(Step.POST, "held");
        add(Step.TAKE, "held");

        assertThat(line.pollExchangeOf(next())).isNull();
    }

    @Test
    void clear_all_isEmptyAndReturnsThem() {
        takeMany();
        add(Step.REMOVE, "held");
        line.add(Step.HEARTBEAT, Map.of());
        line.add(Step.MINE, Map.of());

        assertThat(line.clear()).hasSize(MANY + 3);
        assertThat(line.isEmpty()).isTrue();
        assertThat(line.poll()).isNull();
    }

    /** Whatever comes and is put back: nothing gets lost, and what is about one lock is carried out in the order of the calls. */
    @Test
    void poll_anything_nothingIsLostAndTheOrderOfEachLockIsKept() {
        Step[] steps = {
            Step.TAKE, Step.NOTICE_OF_TICKET, Step.REMOVE, Step.POST, Step.NOTICE, Step.TICKETS, Step.REPLACE
        };
        Outcome[] outcomes = {
            Outcome.ANSWERED, Outcome.ANSWERED, Outcome.IN_THE_WAY, Outcome.BROKEN, Outcome.UNREACHABLE
        };
        Random random = new Random(7);
        Map<String, Deque<CompletableFuture<?>>> expected = new HashMap<>();
        int waiting = 0;
        for (int i = 0; i < 200 * MANY; i++) {
            if (random.nextInt(1 + waiting) < 20) {
                String lock = "lock/" + random.nextInt(10);
                expected.computeIfAbsent(lock, unused -> new ArrayDeque<>())
                        .add(add(steps[random.nextInt(steps.length)], lock));
                waiting++;
            } else {
                Open request = next();
                Deque<CompletableFuture<?>> calls = Objects.requireNonNull(
                        expected.get(String.valueOf(request.parameters().get("name"))));
                assertThat(request.result()).isSameAs(calls.peek());
                Open second = random.nextBoolean() ? line.pollExchangeOf(request) : null;
                Outcome outcome = outcomes[random.nextInt(outcomes.length)];
                long spent = random.nextBoolean() ? SHORT : LONG;
                if (outcome == Outcome.ANSWERED) {
                    calls.remove();
                    waiting--;
                    if (second != null) {
                        assertThat(second.result()).isSameAs(calls.remove());
                        waiting--;
                    }
                } else {
                    if (second != null) {
                        line.putBack(second, outcome, spent);
                    }
                    line.putBack(request, outcome, spent);
                }
            }
        }

        assertThat(line.clear()).hasSize(waiting);
    }
}
