package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.spi.LeaseRequest;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A session for each time to live, as long as it lives. */
class NativeSessionsTest {

    private static final int MANY = 50;

    @Test
    void tryAcquire_sessionsOfManyTimesToLiveHaveEnded_noneIsKept() {
        PlainDataSource source = () -> {
            throw new SQLException("no connection, says the test", "08001");
        };
        NativeLeaseStore store = NativeLeaseStore.over(source);

        for (int i = 0; i < MANY; i++) {
            Duration ttl = Duration.ofSeconds(10).plusMillis(i);
            Await.failure(store.tryAcquire(new LeaseRequest("x", "owner", ttl, "")));
        }

        assertThat(store.sessions()).isEmpty();
    }
}
