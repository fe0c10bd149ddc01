package io.wellkeeper.storekit;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockSource;
import io.wellkeeper.spi.TicketStore;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Locks over queues in memory. */
class InMemoryLockFixture implements LockFixture {

    final InMemoryServer server = new InMemoryServer();
    private final Map<LockSource, InMemoryTicketStore> stores = new ConcurrentHashMap<>();

    @Override
    public LockSource newClient(ClientOptions options) {
        InMemoryTicketStore store = new InMemoryTicketStore(server);
        LockClient client = LockClient.over(wrap(store), options);
        stores.put(client, store);
        return client;
    }

    /** For a bug to be planted. */
    TicketStore wrap(InMemoryTicketStore store) {
        return store;
    }

    private InMemoryTicketStore store(LockSource client) {
        return stores.get(client);
    }

    @Override
    public Duration shortTimeout() {
        return Duration.ofMillis(300);
    }

    @Override
    public void lose(LockSource client) {
        store(client).expireSessions();
    }

    @Override
    public void cut(LockSource client) {
        store(client).cut();
    }

    @Override
    public void mend(LockSource client) {
        store(client).mend();
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
    public void restart() {
        server.restart();
        server.unfreeze();
    }

    @Override
    public void evict(String lock) {
        server.removeTicket(lock, 0);
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
