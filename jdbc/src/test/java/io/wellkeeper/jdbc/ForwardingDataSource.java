package io.wellkeeper.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Shows each connection to a test before it is given out. */
record ForwardingDataSource(DataSource source, Inspector inspector) implements PlainDataSource {

    interface Inspector {
        void inspect(Connection connection) throws SQLException;
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection connection = source.getConnection();
        inspector.inspect(connection);
        return connection;
    }
}
