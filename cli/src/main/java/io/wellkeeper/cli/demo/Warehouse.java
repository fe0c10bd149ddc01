package io.wellkeeper.cli.demo;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import org.h2.tools.Server;

/**
 * The database of all shops, in the memory of this process; the other processes connect to it. It has one item, and
 * orders.
 */
final class Warehouse implements AutoCloseable {

    private static final String LOOPBACK = "127.0.0.1";

    static final String USER = "shop";

    private final Server server;
    private final Connection connection;
    private final String url;
    private final String password;

    private Warehouse(Server server, Connection connection, String url, String password) {
        this.server = server;
        this.connection = connection;
        this.url = url;
        this.password = password;
    }

    static Warehouse open() throws SQLException {
        System.setProperty("h2.bindAddress", LOOPBACK);
        // A user who gets in can run code here, and any user of this machine can reach the port.
        String database = "mem:" + UUID.randomUUID();
        String password = UUID.randomUUID().toString();
        Connection connection = DriverManager.getConnection("jdbc:h2:" + database, USER, password);
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE item (stock INT NOT NULL, fence BIGINT NOT NULL)");
            statement.execute("CREATE TABLE orders (id IDENTITY, shop VARCHAR NOT NULL)");
            statement.execute("INSERT INTO item VALUES (0, 0)");
        }
        Server server = Server.createTcpServer("-tcpPort", "0", "-tcpDaemon", "-tcpPassword", password)
                .start();
        String url = "jdbc:h2:tcp://" + LOOPBACK + ":" + server.getPort() + "/" + database;
        return new Warehouse(server, connection, url, password);
    }

    /** The URL for the shops. */
    String url() {
        return url;
    }

    /** The password of {@link #USER}, the administrator of the database, and its only user. */
    String password() {
        return password;
    }

    /** Sets the stock, and deletes all orders and the token. */
    void refill(int stock) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("UPDATE item SET stock = ?, fence = 0");
                Statement delete = connection.createStatement()) {
            delete.executeUpdate("DELETE FROM orders");
            update.setInt(1, stock);
            update.executeUpdate();
        }
    }

    int stock() throws SQLException {
        return number("SELECT stock FROM item");
    }

    int orders() throws SQLException {
        return number("SELECT count(*) FROM orders");
    }

    private int number(String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(query)) {
            result.next();
            return result.getInt(1);
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
        server.stop();
    }
}
