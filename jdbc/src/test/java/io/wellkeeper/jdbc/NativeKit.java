package io.wellkeeper.jdbc;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockSource;
import io.wellkeeper.spi.LeaseStore;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.storekit.LeaseStoreFixture;
import io.wellkeeper.storekit.LockFixture;
import io.wellkeeper.storekit.RememberingLeaseStore;
import io.wellkeeper.testservers.TcpProxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** What the kits need of the locks of sessions: a proxy for each store. */
final class NativeKit implements AutoCloseable {

    private final Servers server;
    private final NativeDialect dialect;
    private final Map<LeaseStore, TcpProxy> proxies = new ConcurrentHashMap<>();
    private volatile boolean paused;

    NativeKit(Servers server) {
        this.server = server;
        try (Connection connection = server.connect()) {
            dialect = NativeDialect.of(connection);
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
    }

    LeaseStore store() {
        TcpProxy proxy = TcpProxy.of(server.port());
        LeaseStore store =
                NativeLeaseStore.of(StoreUri.parse(server.uri(proxy.port()).replaceFirst("jdbc:", "jdbc-native:")));
        proxies.put(store, proxy);
        return store;
    }

    NativeDialect dialect() {
        return dialect;
    }

    TcpProxy proxy(LeaseStore store) {
        return proxies.get(store);
    }

    /** Kills the session that holds a lock; nothing if there is none. */
    void kill(String lock) {
        String holder = dialect == NativeDialect.POSTGRESQL
                ? "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1"
                        + " AND (classid::bigint << 32 | objid::bigint) = CAST(? AS bigint)"
                : "SELECT IS_USED_LOCK(?)";
        for (String found : query(holder, dialect.key(lock))) {
            if (dialect == NativeDialect.MARIADB && found != null) {
                try (Connection connection = server.connect();
                        Statement killer = connection.createStatement()) {
                    killer.execute("KILL " + found);
                } catch (SQLException gone) {
                    // meanwhile, by itself
                }
            }
        }
    }

    List<String> query(String text, String... parameters) {
        List<String> found = new ArrayList<>();
        try (Connection connection = server.connect();
                PreparedStatement statement = connection.prepareStatement(text)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setString(i + 1, parameters[i]);
            }
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    found.add(rows.getString(1));
                }
            }
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
        return found;
    }

    LeaseStoreFixture leases() {
        return new LeaseStoreFixture() {
            @Override
            public LeaseStore connect() {
                return store();
            }

            @Override
            public void restart() {
                server.restart();
            }

            @Override
            public List<String> leftovers() {
                return NativeKit.this.leftovers();
            }

            @Override
            public void close() {
                NativeKit.this.close();
            }
        };
    }

    /** What a cut connection does to a lock of a session is not what the kit expects of a lease: see the troubles. */
    LockFixture locks() {
        Map<LeaseClient, RememberingLeaseStore> stores = new ConcurrentHashMap<>();
        return new LockFixture() {
            @Override
            public LockSource newClient(ClientOptions options) {
                RememberingLeaseStore store = new RememberingLeaseStore(store());
                LeaseClient client = LeaseClient.over(store, options);
                stores.put(client, store);
                return client;
            }

            @Override
            public boolean hasTokens() {
                return false;
            }

            @Override
            public void lose(LockSource client) {
                Set.copyOf(stores.get(client).names().values()).forEach(NativeKit.this::kill);
            }

            @Override
            public void pause() {
                server.pause();
                paused = true;
            }

            @Override
            public void resume() {
                server.resume();
                paused = false;
            }

            @Override
            public void evict(String lock) {
                kill(lock);
            }

            @Override
            public List<String> leftovers() {
                stores.values().forEach(RememberingLeaseStore::close);
                return NativeKit.this.leftovers();
            }

            @Override
            public void close() {
                NativeKit.this.close();
            }
        };
    }

    private List<String> leftovers() {
        if (paused) {
            server.resume(); // a test that failed may have left it so
            paused = false;
        }
        List<String> found = new ArrayList<>();
        query(server.connections()).forEach(connection -> found.add("connection " + connection));
        return found;
    }

    @Override
    public void close() {
        proxies.values().forEach(TcpProxy::close);
    }
}
