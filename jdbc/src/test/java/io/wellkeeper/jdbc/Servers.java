package io.wellkeeper.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** A real database server, and what tests need to know of its kind. */
interface Servers extends AutoCloseable {

    int port();

    /** The URI of the database through a port, with at least one parameter. */
    String uri(int port);

    Connection connect() throws SQLException;

    Dialect dialect();

    /** All tables of a store, that of the sessions first. */
    List<String> tables();

    /** What lies between a store over these tables and this server. */
    default Wire wire(Tables tables) {
        return new ProxyWire(this, tables);
    }

    /** Connections to the store's database, but the asking one, each in a sentence. */
    String connections();

    /** Shows something else whenever a ticket was taken or replaced. */
    default String changes() {
        return "SELECT queue FROM {lock} WHERE queue <> ' ' ORDER BY name";
    }

    /** Those who watch, each in a sentence. */
    default String watches() {
        return "SELECT CONCAT(name, watches, alone) FROM {lock} WHERE watches <> ' ' OR alone <> ''";
    }

    /** Deletes the first ticket of the lock {@code %1$s}. */
    default String evict() {
        return "DELETE FROM {ticket} WHERE name = '%1$s'"
                + " AND number = (SELECT min(number) FROM {ticket} WHERE name = '%1$s')";
    }

    /** An expression for a time of the database's long ago. */
    String past();

    /** Has the server drop some of the connections of stores, whichever. */
    void killConnections() throws SQLException;

    void pause();

    void resume();

    /** Ends it without a word to anybody; {@link #restart} has it run again. */
    void kill();

    void restart();

    @Override
    void close();
}
