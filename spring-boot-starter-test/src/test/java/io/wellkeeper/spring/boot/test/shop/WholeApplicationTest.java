package io.wellkeeper.spring.boot.test.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.Held;
import io.wellkeeper.LockLostException;
import io.wellkeeper.spring.CurrentLock;
import io.wellkeeper.spring.boot.test.AutoConfigureInMemoryLocks;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

@AutoConfigureInMemoryLocks
@SpringBootTest(properties = "wellkeeper.uri=redis://nowhere.invalid:6379")
class WholeApplicationTest {

    @Autowired
    private Newsletter newsletter;

    @Autowired
    private Shipping shipping;

    @Autowired
    private InMemoryServer locks;

    @Autowired
    private InMemoryTicketStore store;

    @Test
    void application_uriOfAnotherStore_keepsLocksInMemory() {
        shipping.ship(42, () -> assertThat(locks.queueLength("order/42")).isEqualTo(1), 0);
        assertThat(newsletter).isNotNull();
    }

    @Test
    void application_sessionExpiresAtWork_isToldOfTheLoss() {
        assertThatThrownBy(() -> shipping.ship(42, this::lose, 0)).isInstanceOf(LockLostException.class);
    }

    private void lose() {
        Held held = CurrentLock.find().orElseThrow();
        store.expireSessions();
        await().until(() -> !held.isHeld());
    }
}
