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
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Assumptions;

/** What the kits need of a store of leases: a proxy for each store, and a table for each test. */
final class LeaseTableKit implements AutoCloseable {

    /**
     * Of a kind of table; {@code {prefix}} is put in front of its name.
     *
     * @param column what the table makes of a lock's name, or of an owner
     * @param parameters of the URI
     * @param tokens whether there are fencing tokens
     * @param create makes a table
     * @param drop deletes it
     * @param evict deletes the row of a lock
     * @param lose deletes the row of an owner
     * @param held the names of the locks that are not free
     */
    record Layout(
            Function<StoreUri, LeaseStore> maker,
            UnaryOperator<String> column,
            String parameters,
            boolean tokens,
            String create,
            String drop,
            String evict,
            String lose,
            String held) {}

    private final Servers server;
    private final KeptConnection own;
    private final Layout layout;
    private final String prefix =
            "kit_" + UUID.randomUUID().toString().replace("-", "").substring(0, 16) + "_";
    private final Map<LeaseStore, TcpProxy> proxies = new ConcurrentHashMap<>();
    private volatile boolean paused;

    LeaseTableKit(Servers server, Layout layout) {
        this.server = server;
        this.own = new KeptConnection(server);
        this.layout = layout;
        query(layout.create);
    }

    LeaseStore store() {
        if (server.port() == 0) {
            return store(0);
        }
        TcpProxy proxy = TcpProxy.of(server.port());
        LeaseStore store = store(proxy.port());
        proxies.put(store, proxy);
        return store;
    }

    private LeaseStore store(int port) {
        String uri = server.uri(port).replaceFirst("jdbc:", "jdbc-kit:") + layout.parameters;
        return layout.maker.apply(StoreUri.parse(uri.replace("{prefix}", prefix)));
    }

    private List<String> query(String text, String... parameters) {
        return own.run(connection -> {
            List<String> found = new ArrayList<>();
            try (PreparedStatement statement = connection.prepareStatement(text.replace("{prefix}", prefix))) {
                for (int i = 0; i < parameters.length; i++) {
                    statement.setString(i + 1, parameters[i]);
                }
                if (statement.execute()) {
                    try (ResultSet rows = statement.getResultSet()) {
                        while (rows.next()) {
                            found.add(rows.getString(1));
                        }
                    }
                }
            }
            return found;
        });
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
                return LeaseTableKit.this.leftovers();
            }

            @Override
            public void close() {
                LeaseTableKit.this.close();
            }
        };
    }

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
                return layout.tokens;
            }

            @Override
            public void lose(LockSource client) {
                stores.get(client).names().keySet().forEach(owner -> query(layout.lose, layout.column.apply(owner)));
            }

            @Override
            public void cut(LockSource client) {
                Assumptions.assumeFalse(proxies.isEmpty(), "there is a connection that could be cut");
                TcpProxy proxy = proxies.get(stores.get(client).store());
                proxy.refuse(true);
                proxy.cut();
            }

            @Override
            public void mend(LockSource client) {
                proxies.get(stores.get(client).store()).refuse(false);
            }

            @Override
            public void pause() {
                Assumptions.assumeFalse(proxies.isEmpty(), "there is a server that could be paused");
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
                query(layout.evict, layout.column.apply(lock));
            }

            @Override
            public List<String> leftovers() {
                stores.values().forEach(RememberingLeaseStore::close);
                return LeaseTableKit.this.leftovers();
            }

            @Override
            public void close() {
                LeaseTableKit.this.close();
            }
        };
    }

    private List<String> leftovers() {
        if (paused) {
            server.resume(); // a test that failed may have left it so
            paused = false;
        }
        List<String> found = new ArrayList<>();
        query(layout.held).forEach(name -> found.add("lease of " + name));
        query(server.connections()).forEach(connection -> found.add("connection " + connection));
        return found;
    }

    @Override
    public void close() {
        proxies.values().forEach(TcpProxy::close);
        query(layout.drop);
        own.close();
    }
}
