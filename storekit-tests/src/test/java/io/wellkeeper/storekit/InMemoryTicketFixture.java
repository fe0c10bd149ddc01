package io.wellkeeper.storekit;

import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.TicketStore;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import java.time.Duration;
import java.util.List;

class InMemoryTicketFixture implements TicketStoreFixture {

    final InMemoryServer server = new InMemoryServer();

    @Override
    public TicketStore connect() {
        return new InMemoryTicketStore(server);
    }

    @Override
    public Duration shortTimeout() {
        return Duration.ofMillis(200);
    }

    @Override
    public void expire(TicketStore store, Session session) {
        ((InMemoryTicketStore) store).expireSessions();
    }

    @Override
    public void cut(TicketStore store) {
        ((InMemoryTicketStore) store).cut();
        ((InMemoryTicketStore) store).resume();
    }

    @Override
    public void mend(TicketStore store) {
        ((InMemoryTicketStore) store).mend();
    }

    @Override
    public void deafen(TicketStore store) {
        ((InMemoryTicketStore) store).pause();
    }

    @Override
    public void loseNextReplyOfTake() {
        server.loseNextReplyOfTake();
    }

    @Override
    public void loseNextReplyOfReplace() {
        server.loseNextReplyOfReplace();
    }

    @Override
    public void restart() {
        server.restart();
    }

    @Override
    public void loseData() {
        server.loseData();
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
