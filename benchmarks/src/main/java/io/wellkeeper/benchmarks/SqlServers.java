package io.wellkeeper.benchmarks;

import io.wellkeeper.testservers.MariaDbProcess;
import io.wellkeeper.testservers.PostgresProcess;
import io.wellkeeper.testservers.TcpProxy;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.function.IntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.core.io.ClassPathResource;

/**
 * A database server, near or at the far end of a wire. It runs as in production: each commit is forced to the disk. The
 * tables of the peers are made at the start; our locks make their tables themselves.
 */
final class SqlServers implements Servers {

    private static final Pattern INT_LOCK = Pattern.compile("CREATE TABLE INT_LOCK .*?(?=;)", Pattern.DOTALL);

    private final AutoCloseable server;
    private final TcpProxy wire;
    private final String url;
    private final String version;

    private SqlServers(AutoCloseable server, int port, IntFunction<String> url, Topology topology, String... tables)
            throws SQLException {
        this.server = server;
        this.wire = TcpProxy.of(port);
        wire.delay(Topology.WIRE_DELAY);
        this.url = url.apply(topology == Topology.DISTANT_SERVER ? wire.port() : port);
        try (Connection connection = DriverManager.getConnection(url.apply(port));
                Statement statement = connection.createStatement()) {
            for (String table : tables) {
                statement.execute(table);
            }
            version = connection.getMetaData().getDatabaseProductVersion();
        }
    }

    static Servers postgres(Topology topology) throws SQLException, IOException {
        PostgresProcess server = PostgresProcess.start("fsync=on", "shared_buffers=128MB");
        return new SqlServers(server, server.port(), server::jdbcUrl, topology, intLock("postgresql"), shedLock(""));
    }

    static Servers mariaDb(Topology topology) throws SQLException, IOException {
        MariaDbProcess server =
                MariaDbProcess.start("--innodb-flush-log-at-trx-commit=1", "--innodb-log-file-size=96M");
        return new SqlServers(
                server,
                server.port(),
                port -> server.jdbcUrl(port) + "&allowMultiQueries=true",
                topology,
                intLock("mysql"),
                shedLock("(3)"));
    }

    /** The table of Spring Integration, as its own script makes it. */
    private static String intLock(String database) throws IOException {
        String script = "org/springframework/integration/jdbc/schema-" + database + ".sql";
        Matcher table = INT_LOCK.matcher(new ClassPathResource(script).getContentAsString(StandardCharsets.UTF_8));
        if (!table.find()) {
            throw new IOException(script + " has no such table");
        }
        return table.group();
    }

    /** The table of ShedLock, as its documentation says. */
    private static String shedLock(String precision) {
        return """
                CREATE TABLE shedlock(name VARCHAR(64) NOT NULL, lock_until TIMESTAMP%1$s NOT NULL,
                  locked_at TIMESTAMP%1$s NOT NULL DEFAULT CURRENT_TIMESTAMP%1$s, locked_by VARCHAR(255) NOT NULL,
                  PRIMARY KEY (name))""".formatted(precision);
    }

    @Override
    public String uri(int turn) {
        return url + "&socketFactory=" + CountingSockets.class.getName();
    }

    /** Zero: the workers count the requests. */
    @Override
    public long requests() {
        return 0;
    }

    @Override
    public String version() {
        return version;
    }

    @Override
    public void close() throws Exception {
        wire.close();
        server.close();
    }
}
