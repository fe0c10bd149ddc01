package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What PostgreSQL's answers mean. */
class PostgreSqlTest {

    /** Before it was committed, so that nothing was carried out. */
    @ParameterizedTest
    @ValueSource(strings = {"25P03", "25P04", "57P01", "57P05", "08006"})
    void remedy_serverHasEndedTheConnection_isToConnectAgain(String state) {
        SQLException ended = new SQLException("the server has ended the connection, says the test", state);

        assertThat(new PostgreSql().remedy(ended)).isEqualTo(Dialect.Remedy.RECONNECT);
    }
}
