package io.wellkeeper.redis;

import io.wellkeeper.testkit.NoticeContract;
import io.wellkeeper.testkit.ReplacementContract;
import io.wellkeeper.testkit.TicketQueueContract;
import io.wellkeeper.testkit.TicketStoreContract;
import io.wellkeeper.testkit.TicketStoreFixture;
import io.wellkeeper.testkit.process.RedisProcess;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

/** The ticket store keeps the laws. */
@ExtendWith(SharedServer.class)
class RedisTicketStoreKitTest {

    private final RedisProcess server;

    RedisTicketStoreKitTest(RedisProcess server) {
        this.server = server;
    }

    @Nested
    class Tickets extends TicketStoreContract {
        @Override
        protected TicketStoreFixture newFixture() {
            return KitFixtures.tickets(server);
        }
    }

    @Nested
    class Queues extends TicketQueueContract {
        @Override
        protected TicketStoreFixture newFixture() {
            return KitFixtures.tickets(server);
        }
    }

    @Nested
    class Replacements extends ReplacementContract {
        @Override
        protected TicketStoreFixture newFixture() {
            return KitFixtures.tickets(server);
        }
    }

    @Nested
    class Notices extends NoticeContract {
        @Override
        protected TicketStoreFixture newFixture() {
            return KitFixtures.tickets(server);
        }
    }
}
