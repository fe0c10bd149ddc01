package io.wellkeeper.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Does to a store over a file what a network does to others: its connections break, or nothing comes back through them. */
final class SqliteWire implements Wire {

    private static final Duration PATIENCE = Duration.ofMillis(400); // with a silent file

    private final Set<Connection> open = ConcurrentHashMap.newKeySet();
    private final BooleanSupplier silent;
    private final SqlTicketStore store;
    private volatile boolean refused;
    private volatile boolean swallowed;

    SqliteWire(SqliteServer server, Tables tables, BooleanSupplier silent) {
        this.silent = silent;
        Database.Source source = () -> {
            if (refused || silent.getAsBoolean()) {
                throw new SQLException("no connection, says the test");
            }
            Connection made = server.connect();
            open.add(made);
            return made;
        };
        store = new SqlTicketStore(Database.of(source, server.uri(0), new Wired(new Sqlite()), tables));
    }

    /** The dialect, with its faults. */
    private final class Wired implements Dialect {

        private final Dialect real;

        Wired(Dialect real) {
            this.real = real;
        }

        @Override
        public Steps statements(Tables tables) {
            Steps steps = real.statements(tables);
            return new Steps() {
                @Override
                public List<Object[]> run(Connection connection, Step step, Map<String, ?> parameters)
                        throws SQLException {
                    pass(connection, silent);
                    List<Object[]> rows = steps.run(connection, step, parameters);
                    pass(connection, () -> swallowed);
                    return rows;
                }

                @Override
                public Both exchange(Connection connection, Map<String, ?> parameters) throws SQLException {
                    pass(connection, silent);
                    Both both = steps.exchange(connection, parameters);
                    pass(connection, () -> swallowed);
                    return both;
                }
            };
        }

        @Override
        public void createTables(Connection connection, Tables tables) throws SQLException {
            real.createTables(connection, tables);
        }

        @Override
        public String prepare(Connection connection, Tables tables, String session, Duration patience)
                throws SQLException {
            return real.prepare(connection, tables, session, patience);
        }

        @Override
        public void end(Connection connection, String lost) throws SQLException {
            real.end(connection, lost);
        }

        @Override
        public Doorbell listen(Connection connection, Tables tables, String session) throws SQLException {
            Doorbell bell = real.listen(connection, tables, session);
            return patience -> {
                pass(connection, () -> swallowed || silent.getAsBoolean());
                return bell.await(patience);
            };
        }

        @Override
        public List<String> warnings(Map<String, String> settings) {
            return real.warnings(settings);
        }

        @Override
        public Remedy remedy(SQLException failure) {
            return real.remedy(failure);
        }
    }

    /** Waits while there is a fault, and fails if that lasts. */
    private static void pass(Connection connection, BooleanSupplier fault) throws SQLException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (fault.getAsBoolean()) {
            if (connection.isClosed() || System.nanoTime() - end > 0) {
                throw new SQLException("no answer, says the test");
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }

    @Override
    public SqlTicketStore store() {
        return store;
    }

    @Override
    public void cut() {
        for (Connection each : open) {
            open.remove(each);
            try {
                each.close();
            } catch (SQLException broken) {
                throw new IllegalStateException(broken);
            }
        }
    }

    @Override
    public void refuse(boolean refused) {
        this.refused = refused;
    }

    @Override
    public void swallow(boolean swallowed) {
        this.swallowed = swallowed;
    }

    @Override
    public void close() {
        cut();
    }
}
