package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.wellkeeper.DistributedMultiLock;
import io.wellkeeper.LockLostException;
import java.util.List;

/** The multi-lock of the test, for each client. */
abstract class MultiLockKit extends LockKit {

    /** Names of the members; a multi-lock waits for {@code first} before {@code second}. */
    final String first = name + "/1";

    final String second = name + "/2";
    final String third = name + "/3";

    DistributedMultiLock all(Client client) {
        return client.queues().all(first, second, third);
    }

    DistributedMultiLock both(Client client) {
        return client.queues().all(first, second);
    }

    /** Asserts that a new client can acquire each member. */
    void assertAllComeFree() throws Exception {
        for (String member : List.of(first, second, third)) {
            assertComesFree(member);
        }
    }

    static void assertLost(Actor.Action action) {
        assertThatExceptionOfType(LockLostException.class).isThrownBy(action::run);
    }

    static void assertNotOwner(Actor.Action action) {
        assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(action::run)
                .isNotInstanceOf(LockLostException.class);
    }
}
