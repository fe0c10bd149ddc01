package io.wellkeeper.cli.demo;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import org.h2.tools.Server;

/** The database of all shops, in the memory of this process and served to the others: one item, and orders for it. */
final class Warehouse implements AutoCloseable {

    private static final String LOOPBACK = "127.0.0.1";

    private final Server server;
    private final Connection connection;
    private final String url;

    private Warehouse(Server server, Connection connection, String url) {
        this.server = server;
        this.connection = connection;
        this.url = url;
    }

    static Warehouse open() throws SQLException {
        System.setProperty("h2.bindAddress", LOOPBACK);
        // Nobody else on this machine can guess the name, which is all one needs to get in.
        String database = "mem:" + UUID.randomUUID();
        Connection connection = DriverManager.getConnection("jdbc:h2:" + database);
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE item (stock INT NOT NULL, fence BIGINT NOT NULL)");
            statement.execute("CREATE TABLE orders (id IDENTITY, shop VARCHAR NOT NULL)");
            statement.execute("INSERT INTO item VALUES (0, 0)");
        }
        Server server = Server.createTcpServer("-tcpPort", "0", "-tcpDaemon").start();
        return new Warehouse(server, connection, "jdbc:h2:tcp://" + LOOPBACK + ":" + server.getPort() + "/" + database);
    }

    /** Where the shops connect. */
    String url() {
        return url;
    }

    /** Puts so many items on the shelf, and forgets all orders and tokens. */
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
