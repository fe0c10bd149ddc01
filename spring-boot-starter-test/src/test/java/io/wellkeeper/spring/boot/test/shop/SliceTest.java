package io.wellkeeper.spring.boot.test.shop;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.LockClient;
import io.wellkeeper.spring.boot.test.LockedTest;
import io.wellkeeper.testkit.InMemoryServer;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Import;

@LockedTest
@Import(Shipping.class)
class SliceTest {

    @Autowired
    private ApplicationContext context;

    @Autowired
    private Shipping shipping;

    @Autowired
    private InMemoryServer locks;

    @Test
    void slice_guardedMethod_holdsItsLockInMemory() {
        long token = shipping.ship(
                42, () -> assertThat(locks.queueLength("order/42")).isEqualTo(1), 0);
        assertThat(token).isPositive();
        assertThat(context.getBean(LockClient.class)).isNotNull();
    }

    @Test
    void slice_otherComponents_areNotThere() {
        assertThat(context.getBeanNamesForType(Newsletter.class)).isEmpty();
    }
}
