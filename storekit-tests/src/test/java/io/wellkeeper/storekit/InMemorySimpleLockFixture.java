package io.wellkeeper.storekit;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockSource;
import io.wellkeeper.testkit.InMemoryLeaseStore;
import io.wellkeeper.testkit.InMemoryServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Simple locks over leases in memory. */
class InMemorySimpleLockFixture implements LockFixture {

    final InMemoryServer server = new InMemoryServer();
    private final Map<LeaseClient, InMemoryLeaseStore> stores = new ConcurrentHashMap<>();

    InMemoryLeaseStore newStore() {
        return new InMemoryLeaseStore(server);
    }

    @Override
    public LockSource newClient(ClientOptions options) {
        InMemoryLeaseStore store = newStore();
        LeaseClient client = LeaseClient.over(store, options);
        stores.put(client, store);
        return client;
    }

    @Override
    public Duration shortTimeout() {
        return Duration.ofMillis(300);
    }

    @Override
    public void lose(LockSource client) {
        stores.get(client).expireLeases();
    }

    @Override
    public void cut(LockSource client) {
        stores.get(client).cut();
    }

    @Override
    public void mend(LockSource client) {
        stores.get(client).mend();
    }

    @Override
    public void pause() {
        server.freeze();
    }

    @Override
    public void resume() {
        server.unfreeze();
    }

    @Override
    public List<String> leftovers() {
        return server.leftovers();
    }

    @Override
    public void close() {
        server.close();
    }
}
