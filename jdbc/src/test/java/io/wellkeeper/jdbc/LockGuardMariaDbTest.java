package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("full")
class LockGuardMariaDbTest extends LockGuards {

    private static final int CLIENTS = 8;

    LockGuardMariaDbTest() {
        super(
                RealDatabase.MARIADB,
                "wellkeeper",
                "UTC_TIMESTAMP(6) - INTERVAL 1 HOUR",
                "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', %s) DIV 1000");
    }

    @Test
    void guard_transactionIsRepeatableRead_refused() throws Exception {
        try (Connection connection = RealDatabase.MARIADB.begin();
                LockHandle held = client().lock("a").acquire()) {
            assertThatThrownBy(() -> guard().guard(connection, held))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("READ COMMITTED");
        }
    }

    @Test
    void guard_manyOthersComeAndGo_nobodyIsHeldUp() throws Exception {
        try (Connection connection = begin();
                LockHandle held = client().lock("a").acquire()) {
            guard().guard(connection, held);
            List<LockClient> others = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                LockClient other = newClient();
                others.add(other);
                try (LockHandle own = other.lock("b" + i).acquire()) {
                    own.checkHeld();
                    assertThat(other.lock("a").tryAcquire()).isEmpty();
                }
            }
            others.forEach(LockClient::close);
            connection.commit();
        }
    }

    @Test
    void unlockWith_isNotCommittedYet_otherLocksOfWhoWaitsAreHandedOn() throws Exception {
        LockHandle guarded = client().lock("a").acquire();
        LockHandle held = client().lock("b").acquire();
        CompletableFuture<LockHandle> waiting = other().lock("a").acquireAsync();
        CompletableFuture<LockHandle> elsewhere = other().lock("b").acquireAsync();
        awaitQueue(4);
        try (Connection connection = begin()) {
            guard().unlockWith(connection, guarded);
            long listener = waiting("trx_mysql_thread_id", 0); // for what becomes of it
            long first = waiting("UNIX_TIMESTAMP(trx_wait_started)", 0);
            waiting("UNIX_TIMESTAMP(trx_wait_started)", first); // not for ever
            held.close();
            granted(elsewhere).close();
            assertThat(waiting("trx_mysql_thread_id", 0)).isEqualTo(listener);
            connection.rollback();
        }
        guarded.checkHeld();
        held = client().lock("b").acquire();
        elsewhere = other().lock("b").acquireAsync();
        awaitQueue(4);
        held.close();
        granted(elsewhere).close(); // told later than what came to nothing
        assertThat(waiting).isNotDone();
        guarded.close();
        granted(waiting).close();
    }

    /** Of the transaction that waits for another one, as soon as it is more than so much. */
    private static long waiting(String column, long least) {
        return await().until(
                        () -> RealDatabase.MARIADB.number("SELECT COALESCE(MAX(" + column
                                + "), 0) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'"),
                        value -> value > least);
    }
}
