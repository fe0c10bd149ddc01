package io.wellkeeper.torture;

import io.wellkeeper.spi.Place;
import io.wellkeeper.testservers.MariaDbProcess;
import io.wellkeeper.testservers.PostgresProcess;
import io.wellkeeper.testservers.ProcessClock;
import io.wellkeeper.testservers.ServerDeath;
import io.wellkeeper.testservers.TcpProxy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** A database. */
final class SqlServers implements Servers {

    /**
     * The properties of a database.
     *
     * @param port of the server, 0 if there is none
     * @param uri the URI of the store if it is reached through a given port
     * @param faults the faults that the database can have
     * @param protocol of its clients, if there is a network
     * @param control of its processes
     * @param clock of its processes, if they have a clock of their own
     * @param endSession a statement that ends some session
     * @param connections a query for the numbers of the connections of other clients
     * @param kill a statement that breaks one of these connections
     * @param otherUri as {@code uri}, for clients that use another driver with other settings
     */
    private record Kind(
            int port,
            IntFunction<String> uri,
            Set<FaultKind> faults,
            Optional<Protocol> protocol,
            Control control,
            Optional<ProcessClock> clock,
            String endSession,
            String connections,
            String kill,
            Optional<IntFunction<String>> otherUri) {}

    /** Controls the processes of a database. */
    private record Control(
            Runnable kill,
            Runnable launch,
            Runnable awaitServing,
            Runnable pause,
            Runnable resume,
            Runnable fillDisk,
            Runnable freeDisk,
            Supplier<Optional<ServerDeath>> death,
            Runnable close) {}

    /**
     * SQLite's clock is that of the machine. Moving all times in the data has the effect of setting the clock the other
     * way.
     */
    private static final String MOVE_TIMES =
            "UPDATE wellkeeper_session SET expires = expires + %d WHERE length(id) = 13";

    /** Sets a lock's number to twenty before the last one; the second time, to the end of what the column can hold. */
    private static final String NEAR_THE_END =
            "UPDATE wellkeeper_lock SET token = CASE WHEN token < %d THEN %d ELSE %d END"
                            .formatted(Place.MAX_TOKEN - 20, Place.MAX_TOKEN - 20, Long.MAX_VALUE)
                    + " WHERE name LIKE '%" + Lock.ENDING + "'";

    /** The counts of rows and the isolation differ too. */
    private static final String OTHER_URI = "jdbc:mysql://127.0.0.1:%d/wellkeeper?user=root&sslMode=DISABLED"
            + "&allowPublicKeyRetrieval=true&characterEncoding=latin1&useAffectedRows=true"
            + "&sessionVariables=transaction_isolation='READ-COMMITTED'";

    private static final String OTHER_DRIVER = "com.mysql.cj.jdbc.Driver";

    private static final int NO_SUCH_CONNECTION = 1094;

    private static final String SOME_ROW = "SELECT token FROM wellkeeper_lock WHERE name ="
            + " (SELECT name FROM wellkeeper_ticket ORDER BY number DESC LIMIT 1) FOR UPDATE";

    private final Kind kind;

    private SqlServers(Kind kind) {
        this.kind = kind;
        if (kind.port() != 0) { // in SQLite a writer that is stopped would stop all others
            use(FencedTable::create);
        }
    }

    static Servers postgres() {
        Optional<ProcessClock> clock = Servers.clock();
        PostgresProcess server = PostgresProcess.start(Servers.environment(clock));
        return new SqlServers(new Kind(
                server.port(),
                port -> server.jdbcUrl(port) + "&sslmode=disable&gssEncMode=disable",
                EnumSet.of(
                        FaultKind.RESTART,
                        FaultKind.OUTAGE,
                        FaultKind.BROKEN_LOCK,
                        FaultKind.STALL,
                        FaultKind.HANG,
                        FaultKind.DISK_FULL,
                        FaultKind.CLOCK_FORWARD,
                        FaultKind.CLOCK_BACK,
                        FaultKind.BUSY_ROW,
                        FaultKind.LAST_NUMBER,
                        FaultKind.END_SESSION,
                        FaultKind.KILL_BACKEND,
                        FaultKind.KILL_CONNECTIONS),
                Optional.of(new PostgresProtocol()),
                new Control(
                        server::kill,
                        server::launch,
                        server::awaitServing,
                        server::pause,
                        server::resume,
                        server::fillDisk,
                        server::freeDisk,
                        server::death,
                        server::close),
                clock,
                "UPDATE wellkeeper_session SET expires = clock_timestamp() - interval '1 hour'"
                        + " WHERE id = (SELECT id FROM wellkeeper_session"
                        + " WHERE length(id) = 13 ORDER BY random() LIMIT 1)",
                "SELECT pid FROM pg_stat_activity WHERE application_name = 'wellkeeper' ORDER BY random() LIMIT 3",
                "SELECT pg_terminate_backend(%d)",
                Optional.empty()));
    }

    static Servers mariaDb() {
        Optional<ProcessClock> clock = Servers.clock();
        MariaDbProcess server = MariaDbProcess.start(Servers.environment(clock));
        return new SqlServers(new Kind(
                server.port(),
                server::jdbcUrl,
                EnumSet.of(
                        FaultKind.RESTART,
                        FaultKind.OUTAGE,
                        FaultKind.BROKEN_LOCK,
                        FaultKind.STALL,
                        FaultKind.HANG,
                        FaultKind.DISK_FULL,
                        FaultKind.CLOCK_FORWARD,
                        FaultKind.CLOCK_BACK,
                        FaultKind.BUSY_ROW,
                        FaultKind.LAST_NUMBER,
                        FaultKind.END_SESSION,
                        FaultKind.KILL_CONNECTIONS),
                Optional.of(new MariaDbProtocol()),
                new Control(
                        server::kill,
                        server::launch,
                        server::awaitServing,
                        server::pause,
                        server::resume,
                        server::fillDisk,
                        server::freeDisk,
                        server::death,
                        server::close),
                clock,
                "UPDATE wellkeeper_session SET expires = UTC_TIMESTAMP(6) - INTERVAL 1 HOUR"
                        + " WHERE LENGTH(id) = 13 ORDER BY RAND() LIMIT 1",
                "SELECT id FROM information_schema.processlist"
                        + " WHERE db = 'wellkeeper' AND id <> CONNECTION_ID() ORDER BY RAND() LIMIT 3",
                "KILL %d",
                Optional.of(OTHER_URI::formatted)));
    }

    static Servers sqlite() {
        Path folder;
        try {
            folder = Files.createTempDirectory("wellkeeper-torture-");
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        Runnable nothing = () -> {};
        return new SqlServers(new Kind(
                0,
                unused -> "jdbc:sqlite:" + folder.resolve("locks.db"),
                EnumSet.of(FaultKind.END_SESSION, FaultKind.CLOCK_FORWARD, FaultKind.CLOCK_BACK, FaultKind.LAST_NUMBER),
                Optional.empty(),
                new Control(
                        nothing,
                        nothing,
                        nothing,
                        nothing,
                        nothing,
                        nothing,
                        nothing,
                        Optional::empty,
                        () -> delete(folder)),
                Optional.empty(),
                "UPDATE wellkeeper_session SET expires = 0"
                        + " WHERE id = (SELECT id FROM wellkeeper_session"
                        + " WHERE length(id) = 13 ORDER BY random() LIMIT 1)",
                "",
                "",
                Optional.empty()));
    }

    private static void delete(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.deleteIfExists(file);
            }
            Files.delete(folder);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    @Override
    public String uri() {
        return kind.uri().apply(kind.port());
    }

    @Override
    public Way way() {
        return kind.port() == 0 ? Way.direct(uri()) : way(kind.uri());
    }

    private Way way(IntFunction<String> uri) {
        TcpProxy proxy = TcpProxy.of(kind.port());
        String through = uri.apply(proxy.port());
        return new Way(through, Map.of(kind.port(), proxy), false, Optional.of(through));
    }

    @Override
    public Optional<Way> otherWay() {
        return kind.otherUri().filter(uri -> isThere(OTHER_DRIVER)).map(this::way);
    }

    private static boolean isThere(String driver) {
        return DriverManager.drivers()
                .anyMatch(known -> known.getClass().getName().equals(driver));
    }

    @Override
    public Set<FaultKind> faults() {
        return possible(kind.faults());
    }

    @Override
    public boolean forgets(FaultKind fault) {
        return fault == FaultKind.END_SESSION || fault == FaultKind.CLOCK_FORWARD;
    }

    @Override
    public Optional<Protocol> protocol() {
        return kind.protocol();
    }

    @Override
    public boolean hasClock() {
        return kind.clock().isPresent() || kind.port() == 0;
    }

    @Override
    public void moveClock(Duration step) {
        kind.clock()
                .ifPresentOrElse(
                        clock -> clock.move(step),
                        () -> use(connection -> execute(connection, MOVE_TIMES.formatted(-step.toMillis()))));
    }

    @Override
    public Runnable strike(FaultKind fault) {
        Control control = kind.control();
        switch (fault) {
            case RESTART -> {
                control.kill().run();
                control.launch().run();
            }
            case OUTAGE -> {
                control.kill().run();
                return () -> {
                    control.launch().run();
                    control.awaitServing().run();
                };
            }
            case STALL, HANG -> {
                control.pause().run();
                return () -> {
                    control.resume().run();
                    control.awaitServing().run();
                };
            }
            case DISK_FULL -> {
                control.fillDisk().run();
                return control.freeDisk();
            }
            case BUSY_ROW -> {
                return keepRow();
            }
            case LAST_NUMBER -> use(connection -> execute(connection, NEAR_THE_END));
            case END_SESSION -> use(connection -> execute(connection, kind.endSession()));
            case KILL_CONNECTIONS ->
                use(connection -> {
                    for (long id : connections(connection)) {
                        kill(connection, id);
                    }
                });
            case KILL_BACKEND ->
                use(connection -> connections(connection).stream()
                        .limit(1)
                        .forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly)));
            default -> throw new IllegalArgumentException(fault + " is nothing that befalls a database");
        }
        return control.awaitServing();
    }

    private void kill(Connection connection, long id) throws SQLException {
        try {
            execute(connection, kind.kill().formatted(id));
        } catch (SQLException failed) {
            if (failed.getErrorCode() != NO_SUCH_CONNECTION) { // any more
                throw failed;
            }
        }
    }

    /** Lets a transaction lock the row of some lock that is in use. */
    private Runnable keepRow() {
        try {
            Connection connection = DriverManager.getConnection(uri());
            connection.setAutoCommit(false);
            execute(connection, SOME_ROW);
            return () -> {
                try {
                    connection.close(); // which ends the transaction
                } catch (SQLException failed) {
                    throw new IllegalStateException("the database does not end a transaction", failed);
                }
            };
        } catch (SQLException failed) {
            throw new IllegalStateException("the database refuses what is to befall it", failed);
        }
    }

    /** Work that is done over a connection. */
    @FunctionalInterface
    private interface Use {

        void with(Connection connection) throws SQLException;
    }

    private void use(Use use) {
        try (Connection connection = DriverManager.getConnection(uri())) {
            use.with(connection);
        } catch (SQLException failed) {
            throw new IllegalStateException("the database refuses what is to befall it", failed);
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private List<Long> connections(Connection connection) throws SQLException {
        List<Long> ids = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(kind.connections())) {
            while (rows.next()) {
                ids.add(rows.getLong(1));
            }
        }
        return ids;
    }

    @Override
    public Optional<ServerDeath> death() {
        return kind.control().death().get();
    }

    @Override
    public List<String> leftovers() {
        List<String> found = new ArrayList<>();
        use(connection -> {
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("SELECT count(*) FROM wellkeeper_ticket")) {
                if (rows.next() && rows.getLong(1) > 0) {
                    found.add("rows-of-tickets");
                }
            }
        });
        return found;
    }

    @Override
    public void close() {
        kind.control().close().run();
        kind.clock().ifPresent(ProcessClock::close);
    }
}
