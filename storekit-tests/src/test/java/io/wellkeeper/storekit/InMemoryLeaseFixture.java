package io.wellkeeper.storekit;

import io.wellkeeper.spi.LeaseStore;
import io.wellkeeper.testkit.InMemoryLeaseStore;
import io.wellkeeper.testkit.InMemoryServer;
import java.time.Duration;
import java.util.List;

class InMemoryLeaseFixture implements LeaseStoreFixture {

    final InMemoryServer server = new InMemoryServer();

    @Override
    public LeaseStore connect() {
        return new InMemoryLeaseStore(server);
    }

    @Override
    public Duration shortTtl() {
        return Duration.ofMillis(200);
    }

    @Override
    public void restart() {
        server.restart();
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
