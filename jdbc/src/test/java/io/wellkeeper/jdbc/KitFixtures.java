package io.wellkeeper.jdbc;

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
                return server.ticketStore();
            }

            @Override
            public void expire(TicketStore store, Session session) throws Exception {
                server.expire((SqlSession) session);
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
                SqlTicketStore store = server.ticketStore();
                LockClient client = LockClient.over(store, options);
                stores.put(client, store);
                return client;
            }

            @Override
            public void lose(LockSource client) throws Exception {
                SqlTicketStore store = (SqlTicketStore) stores.get(client);
                for (SqlSession session : List.copyOf(store.sessions())) { // not the one that comes after
                    server.expire(session);
                }
            }
        };
    }

    private abstract static class Locks implements LockFixture {

        final KitServer server;
        final Map<LockSource, AutoCloseable> stores = new ConcurrentHashMap<>();
        private volatile boolean isAnyCut; // its session may end with nobody there who sweeps

        Locks(Servers servers) {
            server = new KitServer(servers);
        }

        @Override
        public void cut(LockSource client) {
            isAnyCut = true;
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
            if (isAnyCut) {
                server.sweep();
            }
            return server.leftovers();
        }

        @Override
        public void close() {
            server.close();
        }
    }
}
