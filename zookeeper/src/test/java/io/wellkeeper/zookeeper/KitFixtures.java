package io.wellkeeper.zookeeper;

import static org.awaitility.Awaitility.await;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockOptions;
import io.wellkeeper.LockSource;
import io.wellkeeper.spi.LeaseStore;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.TicketStore;
import io.wellkeeper.storekit.LeaseStoreFixture;
import io.wellkeeper.storekit.LockFixture;
import io.wellkeeper.storekit.TicketStoreFixture;
import io.wellkeeper.testservers.ZooKeeperProcess;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** What the kits need of the stores of this module. */
final class KitFixtures {

    private KitFixtures() {}

    static TicketStoreFixture tickets(ZooKeeperProcess process) {
        KitServer server = new KitServer(process);
        return new TicketStoreFixture() {
            @Override
            public TicketStore connect() {
                return server.ticketStore();
            }

            @Override
            public void expire(TicketStore store, Session session) throws Exception {
                server.expire(((ZooKeeperSession) session).link().zooKeeper());
            }

            @Override
            public void cut(TicketStore store) {
                server.cut(store);
            }

            @Override
            public void mend(TicketStore store) {
                server.mend(store);
            }

            @Override
            public void deafen(TicketStore store) {
                server.deafen(store);
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
            public List<String> leftovers() {
                return server.leftovers();
            }

            @Override
            public void close() {
                server.close();
            }
        };
    }

    static LeaseStoreFixture leases(ZooKeeperProcess process) {
        KitServer server = new KitServer(process);
        return new LeaseStoreFixture() {
            @Override
            public LeaseStore connect() {
                return server.leaseStore();
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
        };
    }

    static LockFixture locks(ZooKeeperProcess process) {
        return new Locks(process) {
            @Override
            public LockSource newClient(ClientOptions options) {
                ZooKeeperTicketStore store = server.ticketStore();
                LockClient client = LockClient.over(store, options);
                stores.put(client, store);
                return client;
            }

            @Override
            public void lose(LockSource client) throws Exception {
                ZooKeeperTicketStore store = (ZooKeeperTicketStore) stores.get(client);
                for (ZooKeeperSession session : store.sessions()) {
                    server.expire(session.link().zooKeeper());
                }
            }
        };
    }

    static LockFixture simpleLocks(ZooKeeperProcess process) {
        return new Locks(process) {
            @Override
            public LockSource newClient(ClientOptions options) {
                ZooKeeperLeaseStore store = server.leaseStore();
                LeaseClient client = LeaseClient.over(store, awaitingReleases(options));
                stores.put(client, store);
                return client;
            }

            @Override
            public void lose(LockSource client) throws Exception {
                ZooKeeperLeaseStore store = (ZooKeeperLeaseStore) stores.get(client);
                Link link = await().until(store::currentLink, Optional::isPresent) // it may be at the next one
                        .orElseThrow();
                server.expire(link.zooKeeper());
            }
        };
    }

    /** A release takes two round trips here, so that another connection's request could overtake it. */
    private static ClientOptions awaitingReleases(ClientOptions options) {
        LockOptions awaiting =
                options.lockDefaults().toBuilder().awaitRelease(true).build();
        return options.toBuilder().lockDefaults(awaiting).build();
    }

    private abstract static class Locks implements LockFixture {

        final KitServer server;
        final Map<LockSource, AutoCloseable> stores = new ConcurrentHashMap<>();

        Locks(ZooKeeperProcess process) {
            server = new KitServer(process);
        }

        @Override
        public void cut(LockSource client) {
            server.cut(stores.get(client));
        }

        @Override
        public void mend(LockSource client) {
            server.mend(stores.get(client));
        }

        @Override
        public void pause() {
            server.pause();
        }

        @Override
        public void resume() {
            server.resume();
        }

        @Override
        public void evict(String lock) throws Exception {
            server.evict(lock);
        }

        @Override
        public List<String> leftovers() throws Exception {
            for (AutoCloseable store : stores.values()) {
                store.close(); // all clients are closed by now
            }
            return server.leftovers();
        }

        @Override
        public void close() {
            server.close();
        }
    }
}
