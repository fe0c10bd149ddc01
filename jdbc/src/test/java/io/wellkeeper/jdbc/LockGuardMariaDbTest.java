package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

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
}
