package io.wellkeeper.jdbc;

import io.wellkeeper.spi.StoreUri;
import java.sql.DriverManager;
import java.util.Properties;

/** What a URI says: the database, and what the tables are called there. */
final class JdbcPlace {

    private static final String POSTGRESQL = "postgresql:";

    private JdbcPlace() {}

    static Database of(StoreUri uri) {
        if (!uri.hosts().startsWith(POSTGRESQL)) {
            throw new IllegalArgumentException(
                    "no database that this store knows; expected jdbc:postgresql://host/database");
        }
        if (uri.hosts().indexOf('@') >= 0) {
            throw new IllegalArgumentException("a JDBC URI has user and password as parameters, not before an '@'");
        }
        Tables tables =
                new Tables(uri.parameter("schema"), uri.parameter("prefix").orElse(Tables.PREFIX));
        String address = "jdbc:" + uri.hosts();
        Properties properties = new Properties();
        uri.parameters().forEach((name, value) -> {
            if (!name.equals("schema") && !name.equals("prefix")) {
                properties.setProperty(name, value);
            }
        });
        properties.putIfAbsent("ApplicationName", "wellkeeper");
        properties.putIfAbsent("tcpKeepAlive", "true");
        properties.putIfAbsent("assumeMinServerVersion", "14"); // saves round trips when it connects
        properties.putIfAbsent("connectTimeout", "5");
        properties.putIfAbsent("loginTimeout", "10");
        return Database.of(() -> DriverManager.getConnection(address, properties), address, new PostgreSql(), tables);
    }
}
