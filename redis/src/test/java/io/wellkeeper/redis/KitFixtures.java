package io.wellkeeper.redis;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockSource;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.TicketStore;
import io.wellkeeper.storekit.LockFixture;
import io.wellkeeper.storekit.TicketStoreFixture;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** What the kits need of the stores of this module. */
final class KitFixtures {

    private KitFixtures() {}

    static TicketStoreFixture tickets(Servers servers) {
        KitServer server = new KitServer(servers);
        return new TicketStoreFixture() {
            @Override
            public TicketStore connect() {
                return server.ticketStore(Keys.SINGLE);
            }

            @Override
            public void expire(TicketStore store, Session session) throws Exception {
                server.expire((RedisSession) session);
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
                server.loseNextReply();
            }

            @Override
            public void loseNextReplyOfReplace() {
                server.loseNextReply();
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
        };
    }

    static LockFixture locks(Servers servers) {
        return new Locks(servers) {
            @Override
            public LockSource newClient(ClientOptions options) {
                RedisTicketStore store = server.ticketStore(servers.partitions());
                LockClient client = LockClient.over(store, options);
                stores.put(client, store);
                return client;
            }

            @Override
            public void lose(LockSource client) throws Exception {
                RedisTicketStore store = (RedisTicketStore) stores.get(client);
                for (RedisSession session : store.sessions()) {
                    server.expire(session);
                }
            }
        };
    }

    /** As {@link #locks}, with what guards against a server that has lost its data. */
    static LockFixture guardedLocks(Servers servers) {
        LockFixture fixture = locks(servers);
        ((Locks) fixture).server.guard();
        return fixture;
    }

    private abstract static class Locks implements LockFixture {

        final KitServer server;
        final Map<LockSource, AutoCloseable> stores = new ConcurrentHashMap<>();

        Locks(Servers servers) {
            server = new KitServer(servers);
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
        public void restart() {
            server.restart();
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
