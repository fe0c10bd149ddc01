package io.wellkeeper.torture;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.torture.Event.Kind;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each rule finds what it is there for, and what is near to it but allowed is not found. */
class CheckerTest {

    private static final Lock LOCK = Lock.mutex("lock", true);
    private static final Lock POOL = Lock.semaphore("pool", 3);
    private static final Lock BOOK = Lock.readWrite("book");

    private final Scenario history = new Scenario(LOCK, POOL, BOOK);

    @Test
    void check_oneAfterAnother_isAllRight() {
        history.section(1, 2, 1, 1, LOCK, 10).section(2, 3, 2, 1, LOCK, 11);
        assertThat(history.broken()).isEmpty();
    }

    @Test
    void check_twoInside_isAnOverlap() {
        history.section(1, 5, 1, 1, LOCK, 10).section(3, 6, 2, 1, LOCK, 11);
        assertThat(history.broken()).containsExactly("overlap");
    }

    @Test
    void check_holderIsStoppedAndKnowsWhenItWakes_isAllRight() {
        stopped(0);
        assertThat(history.broken()).isEmpty();
    }

    @Test
    void check_holderIsStoppedAndDoesNotKnow_isBlindAndOverlaps() {
        stopped(1);
        assertThat(history.broken()).containsExactly("blind-after-pause", "overlap");
    }

    private void stopped(int heldAfterwards) {
        history.request(1, 1, 1, LOCK, 1, -1)
                .event(1, Kind.GRANTED, 1, 1, 10)
                .event(1, Kind.HELD, 1, 1, 1)
                .fault(2, 12, 1, 1, FaultKind.PAUSE)
                .section(8, 20, 2, 1, LOCK, 11)
                .event(13, Kind.HELD, 1, 1, heldAfterwards)
                .event(14, Kind.LOST, 1, 1)
                .event(15, Kind.RELEASE, 1, 1)
                .event(15, Kind.RELEASED, 1, 1, 0);
    }

    @Test
    void check_permits_asManyAsThereAre() {
        history.request(1, 1, 1, POOL, 2, -1)
                .event(1, Kind.GRANTED, 1, 1, 10)
                .request(1, 2, 1, POOL, 1, -1)
                .event(2, Kind.GRANTED, 2, 1, 11)
                .event(5, Kind.RELEASE, 1, 1)
                .event(5, Kind.RELEASED, 1, 1, 1)
                .event(5, Kind.RELEASE, 2, 1)
                .event(5, Kind.RELEASED, 2, 1, 1);
        assertThat(history.broken()).isEmpty();
        history.section(3, 4, 3, 1, POOL, 12);
        assertThat(history.broken()).containsExactly("overlap");
    }

    @Test
    void check_readersWithOneToken_areAllRight_andAWriterBesideThemIsNot() {
        for (int reader = 1; reader <= 3; reader++) {
            history.request(1, reader, 1, BOOK, 1, -1)
                    .event(2, Kind.GRANTED, reader, 1, 10)
                    .event(6, Kind.RELEASE, reader, 1)
                    .event(6, Kind.RELEASED, reader, 1, 1);
        }
        assertThat(history.broken()).isEmpty();
        history.section(4, 5, 4, 1, BOOK, 11);
        assertThat(history.broken()).containsExactly("overlap");
    }

    @Test
    void check_tokenGoesBack_isFound() {
        history.section(1, 2, 1, 1, LOCK, 11).section(3, 4, 2, 1, LOCK, 10);
        assertThat(history.broken()).containsExactly("token-order");
    }

    @Test
    void check_whoWaitedLongComesLaterWithASmallerToken_isFound() {
        history.request(0, 2, 1, LOCK, 1, -1)
                .section(1, 2, 1, 1, LOCK, 11)
                .event(3, Kind.GRANTED, 2, 1, 10)
                .event(4, Kind.RELEASE, 2, 1)
                .event(4, Kind.RELEASED, 2, 1, 1);
        assertThat(history.broken()).containsExactly("token-order");
    }

    @Test
    void check_sameTokenTwice_isFound() {
        history.section(1, 2, 1, 1, LOCK, 10).section(3, 4, 2, 1, LOCK, 10);
        assertThat(history.broken()).containsExactly("token-reuse");
    }

    @Test
    void check_oldTokenIsAccepted_isFound() {
        history.at(1, Kind.ACCEPTED, 1, 1, LOCK.name(), 11, 0).at(2, Kind.ACCEPTED, 2, 1, LOCK.name(), 10, 0);
        assertThat(history.broken()).containsExactly("stale-write");
    }

    /** The write with the larger token was accepted at 3. */
    @ParameterizedTest
    @CsvSource({"2, true", "4, false"})
    void check_fenceAcceptsAnOldToken_isFoundIfItsWriteBeganAfterThatWithALarger(int begin, boolean allowed) {
        history.at(3, Kind.FENCED, 1, 1, LOCK.name(), 11, Scenario.UNIT)
                .at(5, Kind.FENCED, 2, 1, LOCK.name(), 10, (5 - begin) * Scenario.UNIT);
        assertThat(history.broken()).isEqualTo(allowed ? List.of() : List.of("stale-write"));
    }

    @Test
    void check_fenceRefusesTheHolder_isFound() {
        history.section(1, 5, 1, 1, LOCK, 10).at(3, Kind.FENCED_OFF, 1, 1, LOCK.name(), 10, Scenario.UNIT);
        assertThat(history.broken()).containsExactly("refused-holder");
    }

    @ParameterizedTest
    @CsvSource({"3, true", "6, false"})
    void check_sessionWasTakenAway_smallerTokensEndLater_butAreNotAskedForLater(int asked, boolean allowed) {
        history.at(4, Kind.FAULT, 0, 1, FaultKind.END_SESSION.word(), 1, 0)
                .at(4, Kind.STRUCK, 0, 1, FaultKind.END_SESSION.word(), 0, 0)
                .section(5, 6, 2, 1, LOCK, 20)
                .request(asked, 1, 1, LOCK, 1, -1)
                .event(7, Kind.GRANTED, 1, 1, 11)
                .event(7, Kind.HELD, 1, 1, 1)
                .event(8, Kind.RELEASE, 1, 1)
                .event(8, Kind.RELEASED, 1, 1, 1)
                .at(9, Kind.HEALED, 0, 1, FaultKind.END_SESSION.word(), 0, 0);
        assertThat(history.broken()).isEqualTo(allowed ? List.of() : List.of("token-order"));
    }

    /** The lock is taken away at 4, and a session lives for 5: at 9 the former holder must know. */
    @ParameterizedTest
    @CsvSource({"8, true", "11, false"})
    void check_lockWasBroken_formerHolderMayStayUntilHeMustHaveBeenTold(int left, boolean allowed) {
        history.request(1, 1, 1, LOCK, 1, -1)
                .event(2, Kind.GRANTED, 1, 1, 10)
                .at(4, Kind.FAULT, 0, 1, FaultKind.BROKEN_LOCK.word(), 0, 0)
                .at(4, Kind.STRUCK, 0, 1, FaultKind.BROKEN_LOCK.word(), 0, 0)
                .section(5, 14, 2, 1, LOCK, 11)
                .event(left, Kind.HELD, 1, 1, 1)
                .event(left, Kind.LOST, 1, 1)
                .at(15, Kind.HEALED, 0, 1, FaultKind.BROKEN_LOCK.word(), 0, 0);
        history.event(left, Kind.RELEASE, 1, 1).event(left, Kind.RELEASED, 1, 1, 0);
        assertThat(history.broken()).isEqualTo(allowed ? List.of() : List.of("overlap"));
    }

    /** It takes long until his request has its place in the queue, but then he and those behind him get in. */
    @Test
    void check_waiterIsCutOffAgainAndAgain_mayBeOvertaken_butKeepsNobodyOut() {
        history.fault(0, 40, 1, 1, FaultKind.REPEATED_CUTS)
                .request(20, 1, 1, LOCK, 1, -1)
                .section(26, 27, 2, 1, LOCK, 10)
                .event(29, Kind.GRANTED, 1, 1, 11)
                .event(30, Kind.RELEASE, 1, 1)
                .event(30, Kind.RELEASED, 1, 1, 1);
        assertThat(history.broken()).isEmpty();
        history.request(29, 1, 2, LOCK, 1, -1)
                .request(30, 2, 2, LOCK, 1, -1)
                .event(40, Kind.GRANTED, 1, 2, 12)
                .event(40, Kind.RELEASE, 1, 2)
                .event(40, Kind.RELEASED, 1, 2, 1)
                .event(41, Kind.GRANTED, 2, 2, 13)
                .event(41, Kind.RELEASE, 2, 2)
                .event(41, Kind.RELEASED, 2, 2, 1);
        assertThat(history.broken()).containsExactly("idle-lock");
    }

    @ParameterizedTest
    @CsvSource({"93, false", "94, true", "95, true", "96, true", "97, true", "98, false"})
    void check_latchWentDownByWhatWasCounted_orMayHaveBeen(int last, boolean allowed) {
        history.at(1, Kind.COUNT, 0, 0, "latch", 100, 0)
                .at(2, Kind.COUNTED, 1, 1, "latch", 2, 2)
                .at(3, Kind.COUNTED, 0, 0, "latch", 1, 0)
                .at(4, Kind.COUNT, 0, 0, "latch", 0, 1)
                .at(5, Kind.COUNT, 0, 0, "latch", last, 2)
                .at(6, Kind.COUNTED, 2, 1, "latch", 1, 0);
        assertThat(history.broken()).isEqualTo(allowed ? List.of() : List.of("miscount"));
    }

    @Test
    void check_holderIsRefused_isFound() {
        history.section(1, 3, 1, 1, LOCK, 10).at(2, Kind.REFUSED, 1, 1, LOCK.name(), 10, 0);
        assertThat(history.broken()).containsExactly("refused-holder");
    }

    @Test
    void check_formerHolderIsRefused_isAllRight() {
        history.section(1, 3, 1, 1, LOCK, 10).at(4, Kind.REFUSED, 1, 1, LOCK.name(), 10, 0);
        assertThat(history.broken()).isEmpty();
    }

    @Test
    void check_cutOffHolderIsToldBeforeTheNext_isAllRight_andAfterwardsIsNot() {
        cutOff(7);
        assertThat(history.broken()).isEmpty();
        history.events().clear();
        Scenario late = new Scenario(LOCK);
        history.events().addAll(late.events());
        cutOff(10);
        assertThat(history.broken()).containsExactly("told-late");
    }

    private void cutOff(int told) {
        history.request(1, 1, 1, LOCK, 1, -1)
                .event(1, Kind.GRANTED, 1, 1, 10)
                .event(2, Kind.HELD, 1, 1, 1)
                .fault(2, 12, 1, 1, FaultKind.SILENCE)
                .section(8, 20, 2, 1, LOCK, 11)
                .event(told, Kind.LOST, 1, 1)
                .event(told, Kind.RELEASE, 1, 1)
                .event(told, Kind.RELEASED, 1, 1, 0);
    }

    @ParameterizedTest
    @CsvSource({"1000, 1, true", "1, 1000, true", "1, 1, false"})
    void check_cutOffWriterOrReaderIsToldLate_isFoundWhereTheNextOneExcludesIt(int permits, int next, boolean found) {
        history.request(1, 1, 1, BOOK, permits, -1)
                .event(1, Kind.GRANTED, 1, 1, 10)
                .event(2, Kind.HELD, 1, 1, 1)
                .fault(2, 12, 1, 1, FaultKind.SILENCE)
                .request(8, 2, 1, BOOK, next, -1)
                .event(8, Kind.GRANTED, 2, 1, 11)
                .event(20, Kind.RELEASE, 2, 1)
                .event(20, Kind.RELEASED, 2, 1, 1)
                .event(10, Kind.LOST, 1, 1)
                .event(10, Kind.RELEASE, 1, 1)
                .event(10, Kind.RELEASED, 1, 1, 0);
        assertThat(history.broken()).isEqualTo(found ? List.of("told-late") : List.of());
    }

    @Test
    void check_releaseHidesALossThatWasTold_isFound() {
        history.fault(1, 3, 1, 1, FaultKind.CUT)
                .request(1, 1, 1, LOCK, 1, -1)
                .event(1, Kind.GRANTED, 1, 1, 10)
                .event(2, Kind.LOST, 1, 1)
                .event(3, Kind.RELEASE, 1, 1)
                .event(3, Kind.RELEASED, 1, 1, 1);
        assertThat(history.broken()).containsExactly("silent-release");
    }

    @Test
    void check_lossByABurstOfRequests_isFoundAndBySilenceItIsNot() {
        history.request(1, 1, 1, LOCK, 1, -1)
                .event(1, Kind.GRANTED, 1, 1, 10)
                .event(3, Kind.LOST, 1, 1)
                .event(4, Kind.RELEASE, 1, 1)
                .event(4, Kind.RELEASED, 1, 1, 0)
                .fault(1, 3, 1, 1, FaultKind.BURST);
        assertThat(history.broken()).containsExactly("unprovoked-loss");
        history.fault(1, 3, 1, 2, FaultKind.SILENCE);
        assertThat(history.broken()).isEmpty();
    }

    @Test
    void check_lossWithoutAReason_isFound() {
        history.request(1, 1, 1, LOCK, 1, -1)
                .event(1, Kind.GRANTED, 1, 1, 10)
                .event(2, Kind.LOST, 1, 1)
                .event(3, Kind.RELEASE, 1, 1)
                .event(3, Kind.RELEASED, 1, 1, 0);
        assertThat(history.broken()).containsExactly("unprovoked-loss");
    }

    /** A session lives for 5, so the next heartbeat goes out by 3; the machine may be busy for 1. */
    @ParameterizedTest
    @CsvSource({"6, true", "8, false"})
    void check_serversAreBackWithWhatTheyHadEarlier_holderIsToldByItsNextHeartbeat(int told, boolean allowed) {
        cameBack(told);
        assertThat(history.broken()).isEqualTo(allowed ? List.of() : List.of("late-news"));
    }

    @Test
    void check_holderIsCutOffAsTheServersAreBack_mayBeToldLater() {
        history.fault(3, 7, 1, 2, FaultKind.SILENCE);
        cameBack(8);
        assertThat(history.broken()).isEmpty();
    }

    private void cameBack(int told) {
        history.request(1, 1, 1, LOCK, 1, -1)
                .event(2, Kind.GRANTED, 1, 1, 10)
                .fault(4, 5, 0, 1, FaultKind.YOUNG_SNAPSHOT)
                .event(told, Kind.LOST, 1, 1)
                .event(10, Kind.RELEASE, 1, 1)
                .event(10, Kind.RELEASED, 1, 1, 0);
    }

    @ParameterizedTest
    @CsvSource({"2, true", "1, false"})
    void check_serversRefuseEverything_mostWhoAskAreTold(int told, boolean allowed) {
        history.at(1, Kind.FAULT, 0, 1, FaultKind.DISK_FULL.word(), Run.REFUSES, 0)
                .at(1, Kind.STRUCK, 0, 1, FaultKind.DISK_FULL.word(), 0, 0)
                .at(9, Kind.HEALING, 0, 1, FaultKind.DISK_FULL.word(), 0, 0)
                .at(9, Kind.HEALED, 0, 1, FaultKind.DISK_FULL.word(), 0, 0);
        for (int op = 1; op <= 4; op++) {
            history.request(2, 1, op, LOCK, 1, -1)
                    .at(op <= told ? 3 : 10, Kind.FAILED, 1, op, "io.wellkeeper.LockStoreException", 0, 0);
        }
        assertThat(history.broken()).isEqualTo(allowed ? List.of() : List.of("silent-refusal"));
    }

    @Test
    void check_freeLockIsNotGiven_isFoundAfterTheBound() {
        history.request(1, 1, 1, LOCK, 1, -1)
                .event(1 + Scenario.BOUND, Kind.GRANTED, 1, 1, 10)
                .event(30, Kind.RELEASE, 1, 1)
                .event(30, Kind.RELEASED, 1, 1, 1);
        assertThat(history.broken()).isEmpty();
        history.request(30, 1, 2, LOCK, 1, -1)
                .event(31 + Scenario.BOUND, Kind.GRANTED, 1, 2, 11)
                .event(50, Kind.RELEASE, 1, 2)
                .event(50, Kind.RELEASED, 1, 2, 1);
        assertThat(history.broken()).containsExactly("idle-lock");
        history.fault(31, 33, 2, 1, FaultKind.KILL);
        assertThat(history.broken()).isEmpty();
    }

    /** What a client asks for comes behind what it has asked for before in a burst; not what others ask for. */
    @ParameterizedTest
    @CsvSource({"1, true", "2, false"})
    void check_nobodyGetsInDuringABurst_isAllRightForItsClient(int waiter, boolean allowed) {
        history.section(1, 3, 3, 1, LOCK, 10)
                .request(10, waiter, 2, LOCK, 1, -1)
                .event(11 + Scenario.BOUND, Kind.GRANTED, waiter, 2, 11)
                .event(50, Kind.RELEASE, waiter, 2)
                .event(50, Kind.RELEASED, waiter, 2, 1);
        assertThat(history.broken()).containsExactly("idle-lock");
        long end = 11 + Scenario.BOUND;
        history.at(end, Kind.BURST_OVER, 1, 1, "-", (end - 5) * Scenario.UNIT, 0);
        assertThat(history.broken()).isEqualTo(allowed ? List.of() : List.of("idle-lock"));
    }

    @ParameterizedTest
    @CsvSource({"20, true", "21, false"})
    void check_serversAreBackAfterAnOutage_whoWaitsGetsInAfterTheBound(long letIn, boolean allowed) {
        history.fault(1, 12, Run.NOBODY, 1, FaultKind.OUTAGE)
                .at(0, Kind.STALLED, Run.NOBODY, 0, "-", letIn * Scenario.UNIT, 0) // whoever asks waits meanwhile
                .request(1, 1, 1, LOCK, 1, -1)
                .event(letIn, Kind.GRANTED, 1, 1, 10)
                .event(30, Kind.RELEASE, 1, 1)
                .event(30, Kind.RELEASED, 1, 1, 1);
        assertThat(history.broken()).isEqualTo(allowed ? List.of() : List.of("idle-lock"));
    }

    @ParameterizedTest
    @CsvSource({"18, true", "19, false"})
    void check_lossAfterAnOutage_isExcusedForASession(long told, boolean allowed) {
        history.fault(1, 12, Run.NOBODY, 1, FaultKind.OUTAGE)
                .request(11, 1, 1, LOCK, 1, -1)
                .event(told - 1, Kind.GRANTED, 1, 1, 10)
                .event(told, Kind.LOST, 1, 1)
                .event(30, Kind.RELEASE, 1, 1)
                .event(30, Kind.RELEASED, 1, 1, 0);
        assertThat(history.broken()).isEqualTo(allowed ? List.of() : List.of("unprovoked-loss"));
    }

    @Test
    void check_laterOneGoesFirst_isFoundInAStrictLock() {
        Lock loose = Lock.mutex("loose", false);
        for (Lock lock : new Lock[] {LOCK, loose}) {
            Scenario overtaking = new Scenario(lock)
                    .section(1, 9, 3, 1, lock, 9)
                    .request(1, 1, 1, lock, 1, -1)
                    .request(7, 2, 1, lock, 1, -1)
                    .event(9, Kind.GRANTED, 2, 1, 10)
                    .event(10, Kind.RELEASE, 2, 1)
                    .event(10, Kind.RELEASED, 2, 1, 1)
                    .event(10, Kind.GRANTED, 1, 1, 11)
                    .event(11, Kind.RELEASE, 1, 1)
                    .event(11, Kind.RELEASED, 1, 1, 1);
            assertThat(overtaking.broken()).isEqualTo(lock.strict() ? List.of("overtaken") : List.of());
        }
    }

    @Test
    void check_waitsEndTooLateOrTooEarly_areFound() {
        history.section(0, 40, 9, 1, LOCK, 1).request(1, 1, 1, LOCK, 1, 5).event(16, Kind.GAVE_UP, 1, 1);
        assertThat(history.broken()).isEmpty();
        history.request(1, 1, 2, LOCK, 1, 5).event(17, Kind.GAVE_UP, 1, 2);
        assertThat(history.broken()).containsExactly("late-return");
        history.request(1, 1, 3, LOCK, 1, 5).event(5, Kind.GAVE_UP, 1, 3);
        assertThat(history.broken()).containsExactly("early-return", "late-return");
    }

    @Test
    void check_interruptIsNotHeard_isFound() {
        history.section(0, 40, 9, 1, LOCK, 1)
                .request(1, 1, 1, LOCK, 1, -1)
                .event(5, Kind.INTERRUPT, 1, 1)
                .event(16, Kind.INTERRUPTED, 1, 1);
        assertThat(history.broken()).containsExactly("late-return");
    }

    @Test
    void check_stoppedProcessMissesItsTime_isAllRight() {
        history.section(0, 40, 9, 1, LOCK, 1)
                .fault(2, 20, 1, 1, FaultKind.PAUSE)
                .request(1, 1, 1, LOCK, 1, 5)
                .event(20, Kind.GAVE_UP, 1, 1);
        assertThat(history.broken()).isEmpty();
    }

    @Test
    void check_waitNeverEnds_isStuckUnlessItsProcessWasKilled() {
        history.section(0, 40, 9, 1, LOCK, 1).request(38, 1, 1, LOCK, 1, -1);
        assertThat(history.broken()).containsExactly("stuck");
        history.event(39, Kind.GONE, 1, 0, 1);
        assertThat(history.broken()).isEmpty();
    }

    @Test
    void check_holderIsKilled_isAllRight() {
        history.request(1, 1, 1, LOCK, 1, -1)
                .event(1, Kind.GRANTED, 1, 1, 10)
                .event(2, Kind.HELD, 1, 1, 1)
                .fault(2, 3, 1, 1, FaultKind.KILL)
                .event(2, Kind.GONE, 1, 0, 1)
                .request(2, 2, 1, LOCK, 1, -1)
                .event(8, Kind.GRANTED, 2, 1, 11)
                .event(9, Kind.RELEASE, 2, 1)
                .event(9, Kind.RELEASED, 2, 1, 1);
        assertThat(history.broken()).isEmpty();
    }

    @Test
    void check_ticketsAreLeft_isFound() {
        history.at(9, Kind.LEFT_BEHIND, 0, 0, LOCK.name(), 2, 0);
        assertThat(history.broken()).containsExactly("left-behind");
    }

    @Test
    void check_unknownException_isFound() {
        history.at(9, Kind.BUG, 1, 0, "NullPointerException", 0, 0);
        assertThat(history.broken()).containsExactly("bug");
    }
}
