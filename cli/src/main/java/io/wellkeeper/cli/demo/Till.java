package io.wellkeeper.cli.demo;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** A shop's connection to the warehouse. */
final class Till implements AutoCloseable {

    private final Connection connection;
    private final String shop;

    Till(String url, String password, String shop) throws SQLException {
        this.connection = DriverManager.getConnection(url, Warehouse.USER, password);
        this.shop = shop;
    }

    int stock() throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("SELECT stock FROM item");
                ResultSet result = select.executeQuery()) {
            result.next();
            return result.getInt(1);
        }
    }

    /** Sells one of the items that were seen, without checking what has happened since. */
    void sell(int stockSeen) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("UPDATE item SET stock = ?")) {
            update.setInt(1, stockSeen - 1);
            order(update);
        }
    }

    /**
     * Sells one of the items that were seen, unless there was a write with a larger token since.
     *
     * @return false if the database refused the write
     */
    boolean sell(int stockSeen, long token) throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE item SET stock = ?, fence = ? WHERE fence <= ?")) {
            update.setInt(1, stockSeen - 1);
            update.setLong(2, token);
            update.setLong(3, token);
            return order(update);
        }
    }

    private boolean order(PreparedStatement update) throws SQLException {
        connection.setAutoCommit(false);
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO orders (shop) VALUES (?)")) {
            boolean accepted = update.executeUpdate() == 1;
            if (accepted) {
                insert.setString(1, shop);
                insert.executeUpdate();
            }
            connection.commit();
            return accepted;
        } finally {
            connection.setAutoCommit(true);
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
