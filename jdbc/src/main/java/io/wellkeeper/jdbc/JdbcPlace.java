package io.wellkeeper.jdbc;

import io.wellkeeper.spi.StoreUri;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import javax.sql.DataSource;

/** Finds out from a URI or a data source which database there is, and what the tables are called there. */
final class JdbcPlace {

    private static final String MYSQL_SCHEME =
            "permitMysqlScheme"; // of MariaDB's driver, which looks for it in the URL

    private static final String POSTGRESQL_PREFIX = "postgresql:";
    private static final String SQLITE_PREFIX = "sqlite:";
    private static final String SQLITE_DRIVER = "org.sqlite.JDBC";
    private static final String LISTENERS = "listeners";

    private static final Map<String, String> DRIVERS = Map.of(
            "postgresql", "org.postgresql:postgresql",
            "mariadb", "org.mariadb.jdbc:mariadb-java-client",
            "mysql", "com.mysql:mysql-connector-j (or permitMysqlScheme=true for MariaDB's driver)",
            "sqlite", "org.xerial:sqlite-jdbc");

    private JdbcPlace() {}

    private static final Map<String, String> POSTGRESQL = Map.of(
            "ApplicationName", "wellkeeper",
            "tcpKeepAlive", "true",
            "assumeMinServerVersion", "14", // saves round trips when it connects
            "connectTimeout", "5",
            "loginTimeout", "10");
    private static final Map<String, String> MARIADB = Map.of(
            "allowMultiQueries", "true", // saves round trips
            "tcpKeepAlive", "true",
            "connectTimeout", "5000",
            "deniedListTimeout", "1000", // how long the driver avoids one of several servers once a connection broke
            "socketTimeout", "5000"); // until the first setNetworkTimeout; MySQL's driver has no other while it logs in

    private static final Map<String, String> SQLITE =
            Map.of("synchronous", "NORMAL"); // a crash of the machine ends all sessions

    static Database of(StoreUri uri) {
        uri.refuseMisspelt(Set.of("schema", "prefix", LISTENERS, LocalFile.ANY_FILE_SYSTEM));
        String prefix = uri.hosts().substring(0, uri.hosts().indexOf(':') + 1);
        if (!prefix.equals(POSTGRESQL_PREFIX)) {
            refuse(uri, LISTENERS, "PostgreSQL");
        }
        if (!prefix.equals(SQLITE_PREFIX)) {
            refuse(uri, LocalFile.ANY_FILE_SYSTEM, "SQLite");
        }
        return switch (prefix) {
            case POSTGRESQL_PREFIX -> postgreSql(uri);
            case SQLITE_PREFIX -> sqlite(uri);
            case "mariadb:", "mysql:" -> of(uri, new MariaDb(), MARIADB);
            default ->
                throw new IllegalArgumentException("no database that this store knows; expected"
                        + " jdbc:postgresql://host/database, jdbc:mariadb://host/database, jdbc:mysql://host/database"
                        + " or jdbc:sqlite:file");
        };
    }

    private static void refuse(StoreUri uri, String parameter, String owner) {
        if (uri.parameter(parameter).isPresent()) {
            throw new IllegalArgumentException(
                    "store URI has the parameter '" + parameter + "', which is for " + owner + " only");
        }
    }

    private static Database postgreSql(StoreUri uri) {
        PostgreSql dialect = uri.parameter(LISTENERS)
                .map(number -> new PostgreSql(PostgreSql.listeners(number)))
                .orElseGet(PostgreSql::new);
        return of(uri.without(Set.of(LISTENERS)), dialect, POSTGRESQL);
    }

    private static Database sqlite(StoreUri uri) {
        String file = uri.hosts().substring(SQLITE_PREFIX.length());
        if (file.isEmpty() || file.contains(":memory:") || uri.parameter("mode").isPresent()) {
            throw new IllegalArgumentException(
                    "not a database file that others can write to; expected jdbc:sqlite:file");
        }
        Database anywhere = of(uri.without(Set.of(LocalFile.ANY_FILE_SYSTEM)), new Sqlite(), SQLITE);
        return anywhere.from(new LocalFile().only(anywhere.source(), uri));
    }

    /**
     * Finds out by connecting which database a data source leads to.
     *
     * @param postgreSql the dialect if the database is PostgreSQL
     */
    static Database of(DataSource source, Tables tables, PostgreSql postgreSql) throws SQLException {
        String product;
        try (Connection connection = source.getConnection()) {
            product = connection.getMetaData().getDatabaseProductName();
        }
        Dialect dialect = switch (product) {
            case "PostgreSQL" -> postgreSql;
            case "MariaDB", "MySQL" -> new MariaDb();
            case "SQLite" -> new Sqlite();
            default -> throw new SQLException("no database that this store knows: " + product, "0A000");
        };
        return Database.of(new LocalFile().only(source::getConnection), address(source), dialect, tables);
    }

    static String address(DataSource source) {
        return source.getClass().getSimpleName();
    }

    private static Database of(StoreUri uri, Dialect dialect, Map<String, String> defaults) {
        Tables tables =
                new Tables(uri.parameter("schema"), uri.parameter("prefix").orElse(Tables.PREFIX));
        String address = "jdbc:" + uri.hosts();
        String url = uri.parameter(MYSQL_SCHEME).isPresent() ? address + "?" + MYSQL_SCHEME : address;
        Properties properties = new Properties();
        properties.putAll(defaults);
        if (dialect instanceof PostgreSql && takesSockets()) {
            properties.setProperty("socketFactory", PromptSockets.class.getName());
        }
        uri.parameters().forEach((name, value) -> {
            if (!name.equals("schema") && !name.equals("prefix")) {
                properties.setProperty(name, value);
            }
        });
        return Database.of(() -> connect(url, properties), address, dialect, tables);
    }

    /** Whether PostgreSQL's driver is there, and finds our sockets. */
    private static boolean takesSockets() {
        try {
            return PromptSockets.isSeenBy(org.postgresql.Driver.class);
        } catch (NoClassDefFoundError missing) {
            return false; // the first connection will fail and say so
        }
    }

    /** Connects; where there is no driver, the failure says which artifact has one. */
    static Connection connect(String url, Properties properties) throws SQLException {
        try {
            Optional<Driver> sqlite = url.startsWith("jdbc:" + SQLITE_PREFIX) ? sqliteDriver() : Optional.empty();
            return sqlite.isPresent()
                    ? sqlite.get().connect(url, properties)
                    : DriverManager.getConnection(url, properties);
        } catch (SQLException failure) {
            String artifact = DRIVERS.get(url.split(":", 3)[1]);
            if (artifact == null || !Failures.isDriverMissing(failure)) {
                throw failure;
            }
            throw new SQLException(
                    failure.getMessage() + "; add " + artifact + " to the class path", failure.getSQLState(), failure);
        }
    }

    /**
     * SQLite's driver, if this class can see it; DriverManager would load every driver, which takes longer than a
     * file's use.
     */
    private static Optional<Driver> sqliteDriver() {
        try {
            return Optional.of(
                    (Driver) Class.forName(SQLITE_DRIVER).getConstructor().newInstance());
        } catch (ReflectiveOperationException elsewhere) {
            return Optional.empty();
        }
    }
}
