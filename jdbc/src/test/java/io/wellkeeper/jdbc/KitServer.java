package io.wellkeeper.jdbc;

import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/** The verbs of the kits: a real server behind a proxy for each store, and tables of its own for each test. */
final class KitServer {

    private static final Duration LONGEST_SWALLOWED = Duration.ofSeconds(5);

    private final Servers server;
    private final KeptConnection own;
    private final Tables tables = new Tables(
            Optional.empty(),
            "kit_" + UUID.randomUUID().toString().replace("-", "").substring(0, 16) + "_");
    private final Map<Object, Wire> wires = new ConcurrentHashMap<>(); // by store
    private volatile boolean paused;

    KitServer(Servers server) {
        this.server = server;
        this.own = new KeptConnection(server);
        own.run(connection -> {
            server.dialect().createTables(connection, tables);
            return "made";
        });
    }

    private void update(String sql) {
        own.run(connection -> {
            try (Statement statement = connection.createStatement()) {
                return statement.execute(tables.fill(sql));
            }
        });
    }

    private List<String> query(String sql) {
        return own.run(connection -> {
            List<String> found = new ArrayList<>();
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery(tables.fill(sql))) {
                while (rows.next()) {
                    found.add(rows.getString(1));
                }
            }
            return found;
        });
    }

    SqlTicketStore ticketStore() {
        Wire wire = server.wire(tables);
        wires.put(wire.store(), wire);
        return wire.store();
    }

    void deafen(Object store) {
        wires.get(store).swallow(true);
    }

    void cut(Object store) {
        wires.get(store).refuse(true);
        wires.get(store).cut();
        wires.get(store).swallow(false);
    }

    void mend(Object store) {
        wires.get(store).refuse(false);
    }

    /**
     * Cuts every connection once the server has taken or replaced one more ticket, of which nobody gets the answer; or after
     * a while, if it was the answer to something else that was under way, without which nothing more is sent.
     */
    void loseNextReply() {
        List<String> before = changes();
        wires.values().forEach(wire -> wire.swallow(true));
        long end = System.nanoTime() + LONGEST_SWALLOWED.toNanos();
        Thread cutter = new Thread(() -> {
            while (changes().equals(before) && System.nanoTime() - end < 0) {
                LockSupport.parkNanos(1_000_000);
            }
            wires.values().forEach(Wire::cut);
            wires.values().forEach(wire -> wire.swallow(false));
        });
        cutter.setDaemon(true);
        cutter.start();
    }

    private List<String> changes() {
        return query(server.changes());
    }

    /** As if the session had not been renewed in time, and somebody had noticed. */
    void expire(SqlSession session) {
        update("UPDATE {session} SET expires = " + server.past() + " WHERE id = '" + session.id() + "'");
        Map<String, Object> nobody = Map.of("me", "nobody", "millis", 1L);
        own.run(connection -> {
            Steps steps = server.dialect().statements(tables);
            steps.run(connection, Step.HEARTBEAT, nobody);
            return steps.run(connection, Step.ORPHANS, nobody);
        });
    }

    /** What sessions that have ended left behind goes with the next session that begins. */
    void sweep() {
        endPause();
        own.run(connection -> {
            Map<String, Object> nobody = Map.of("me", "nobody", "millis", 1L);
            Steps steps = server.dialect().statements(tables);
            for (Object[] row : steps.run(connection, Step.ORPHANS, nobody)) {
                steps.run(connection, Step.SWEEP, Map.of("name", row[0], "me", "nobody"));
            }
            return "swept";
        });
    }

    /** Removes the first ticket of a lock as an operator might, without a word to anybody. */
    void evict(String lock) {
        update(server.evict().formatted(lock));
    }

    void restart() {
        server.restart();
    }

    /** Deletes all that is there. Who has no session is not let in meanwhile. */
    void loseData() {
        for (String table : server.tables()) {
            update("DELETE FROM " + table);
        }
    }

    void pause() {
        paused = true;
        server.pause();
    }

    void resume() {
        server.resume();
        paused = false;
    }

    /** A test that failed may have left it so. */
    private void endPause() {
        if (paused) {
            resume();
        }
    }

    List<String> leftovers() {
        endPause();
        List<String> found = new ArrayList<>();
        query("SELECT id FROM {session} WHERE LENGTH(id) = 13").forEach(id -> found.add("session " + id));
        query("SELECT CONCAT(name, ' ', number, ' of ', session) FROM {ticket}")
                .forEach(ticket -> found.add("ticket " + ticket));
        query(server.watches()).forEach(watch -> found.add("watch " + watch));
        query(server.connections()).forEach(connection -> found.add("connection " + connection));
        return found;
    }

    void close() {
        wires.values().forEach(Wire::close);
        for (String table : server.tables()) {
            update("DROP TABLE " + table);
        }
        own.close();
    }
}
