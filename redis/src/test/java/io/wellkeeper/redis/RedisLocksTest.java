package io.wellkeeper.redis;

import io.wellkeeper.testkit.AsyncContract;
import io.wellkeeper.testkit.ExclusionContract;
import io.wellkeeper.testkit.FairnessContract;
import io.wellkeeper.testkit.LockContract;
import io.wellkeeper.testkit.LockFixture;
import io.wellkeeper.testkit.LossContract;
import io.wellkeeper.testkit.LossNoticeContract;
import io.wellkeeper.testkit.process.RedisProcess;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

/** Locks over Redis keep every contract. */
@ExtendWith(SharedServer.class)
class RedisLocksTest {

    private final RedisProcess server;

    RedisLocksTest(RedisProcess server) {
        this.server = server;
    }

    @Nested
    class Locks extends LockContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(server);
        }
    }

    @Nested
    class Exclusion extends ExclusionContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(server);
        }
    }

    @Nested
    class Loss extends LossContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(server);
        }
    }

    @Nested
    class Async extends AsyncContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(server);
        }
    }

    @Nested
    class Fairness extends FairnessContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(server);
        }
    }

    @Nested
    class LossNotice extends LossNoticeContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(server);
        }
    }
}
