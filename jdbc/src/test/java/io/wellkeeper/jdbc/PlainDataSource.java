package io.wellkeeper.jdbc;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** Makes connections and nothing else. */
@FunctionalInterface
interface PlainDataSource extends DataSource {

    @Override
    Connection getConnection() throws SQLException;

    @Override
    default Connection getConnection(String user, String password) throws SQLException {
        return getConnection();
    }

    @Override
    default PrintWriter getLogWriter() {
        throw new UnsupportedOperationException();
    }

    @Override
    default void setLogWriter(PrintWriter out) {
        throw new UnsupportedOperationException();
    }

    @Override
    default void setLoginTimeout(int seconds) {
        throw new UnsupportedOperationException();
    }

    @Override
    default int getLoginTimeout() {
        return 0;
    }

    @Override
    default Logger getParentLogger() {
        return Logger.getGlobal();
    }

    @Override
    default <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLException("wraps nothing");
    }

    @Override
    default boolean isWrapperFor(Class<?> type) {
        return false;
    }
}
