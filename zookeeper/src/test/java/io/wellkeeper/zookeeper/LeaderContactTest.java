package io.wellkeeper.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** In units of a 24th of the session timeout: a heartbeat goes out every 3 of them, and is good for 12. */
class LeaderContactTest {

    private static final Duration TIMEOUT = Duration.ofNanos(24_000);
    private static final long UNIT = 1_000;

    private final LeaderContact contact = new LeaderContact(TIMEOUT, 0);

    private boolean heartbeat(long sent, long acknowledged) {
        return contact.acknowledged(sent * UNIT, acknowledged * UNIT);
    }

    @Test
    void acknowledged_regularHeartbeats_allProve() {
        assertThat(LongStream.rangeClosed(0, 100).allMatch(i -> heartbeat(3 * i, 3 * i + 1)))
                .isTrue();
    }

    @Test
    void acknowledged_roundTripsUpToTheInterval_allProve() {
        assertThat(LongStream.rangeClosed(0, 100).allMatch(i -> heartbeat(3 * i, 3 * i + 3)))
                .isTrue();
    }

    @Test
    void acknowledged_firstAfterALongSilence_doesNotProve() {
        assertThat(heartbeat(11, 11)).isTrue();
        assertThat(heartbeat(23, 23)).isFalse();
    }

    @Test
    void acknowledged_afterALongSilence_provesOnceAnEarlierOneMustHaveBeenReported() {
        assertThat(heartbeat(20, 20)).isFalse();
        assertThat(heartbeat(23, 23)).isFalse();
        assertThat(heartbeat(25, 25)).isFalse();
        assertThat(heartbeat(26, 26)).isTrue();
    }

    /** Whatever is answered lets the leader hear of the session, by way of the follower's report. */
    @Test
    void acknowledged_afterALongSilenceOfHeartbeatsButNotOfOthers_proves() {
        contact.heard(20 * UNIT, 20 * UNIT);

        assertThat(heartbeat(25, 25)).isFalse();
        assertThat(heartbeat(26, 26)).isTrue();
    }

    @Test
    void acknowledged_manyHeldUpOnTheWay_doNotProveOneAnother() {
        assertThat(heartbeat(9, 18)).isTrue(); // by the beginning of the session
        assertThat(heartbeat(12, 18)).isFalse();
        assertThat(heartbeat(15, 18)).isFalse();
        assertThat(heartbeat(18, 18)).isFalse();
        assertThat(heartbeat(24, 24)).isTrue(); // by the one sent at 15, reported by 24
    }

    @Test
    void acknowledged_afterAReconnect_provesAtOnceUnlessItTookTooLong() {
        heartbeat(3, 3);
        contact.reconnected(OptionalLong.empty());
        assertThat(heartbeat(10, 10)).isTrue();

        contact.reconnected(OptionalLong.empty());
        assertThat(heartbeat(30, 30)).isFalse();
    }

    /** A reconnect is later than all that failed with the connection before. */
    @Test
    void acknowledged_afterAReconnectThatTookLongWithHeartbeatsInVain_provesAtOnce() {
        heartbeat(3, 3);
        contact.broke(22 * UNIT);
        contact.broke(25 * UNIT);
        contact.reconnected(OptionalLong.empty());

        assertThat(heartbeat(30, 30)).isTrue();
    }

    @Test
    void acknowledged_afterAReconnectThatBeganLately_provesAtOnce() {
        heartbeat(3, 3);
        contact.reconnected(OptionalLong.of(90 * UNIT));

        assertThat(heartbeat(80, 93)).isTrue(); // it has waited for the connection
        assertThat(heartbeat(102, 102)).isFalse();
    }

    /** It has waited for the connection, so it was answered after the session was taken up again. */
    @Test
    void acknowledged_sentBeforeAReconnectAndAnsweredAfterIt_proves() {
        heartbeat(3, 3);
        contact.broke(22 * UNIT);
        contact.reconnected(OptionalLong.empty());

        assertThat(heartbeat(25, 33)).isTrue();
    }
}
