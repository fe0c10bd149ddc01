package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wellkeeper.LockHandle;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LockGuardTest extends LockGuards {

    LockGuardTest() {
        super(
                RealDatabase.POSTGRESQL,
                "public",
                "clock_timestamp() - interval '1 hour'",
                "CAST(extract(epoch FROM %s) * 1000 AS bigint)");
    }

    /** Such a transaction goes on reading what was there when it began. */
    @ParameterizedTest
    @ValueSource(ints = {Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE})
    void guard_transactionIsOlderThanTheLock_isASerialisationFailureAndNoLoss(int isolation) throws Exception {
        try (Connection connection = begin();
                Statement statement = connection.createStatement()) {
            connection.setTransactionIsolation(isolation);
            statement.execute("SELECT 1");

            try (LockHandle held = client().lock("a").acquire()) {
                assertThatThrownBy(() -> guard().guard(connection, held))
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                failure -> assertThat(failure.getSQLState()).isEqualTo("40001"));

                connection.rollback();
                guard().guard(connection, held);
                connection.rollback();
            }
        }
    }
}
