package io.wellkeeper.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * Where connections come from, and how the database is spoken to.
 *
 * @param source of connections
 * @param address for messages, without secrets
 * @param dialect of the server
 * @param tables what they are called
 * @param statements of the dialect, over these tables
 */
record Database(Source source, String address, Dialect dialect, Tables tables, Steps statements) {

    /** Makes connections. */
    interface Source {

        Connection connect() throws SQLException;
    }

    /** The same database, with connections from another source. */
    Database from(Source another) {
        return new Database(another, address, dialect, tables, statements);
    }

    static Database of(Source source, String address, Dialect dialect, Tables tables) {
        return new Database(source, address, dialect, tables, dialect.statements(tables));
    }
}
