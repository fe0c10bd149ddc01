package io.wellkeeper.storekit;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.storekit.Troubles.Kind;
import io.wellkeeper.testkit.InMemoryLeaseStore;
import io.wellkeeper.testkit.InMemoryServer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What becomes of calls when a store of leases refuses, or has trouble that passes. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LeaseRefusalTest {

    private static final String NAME = "refused";

    private final Troubles troubles = new Troubles();
    private final InMemoryServer server = new InMemoryServer();

    @AfterEach
    void close() {
        server.close();
    }

    private LeaseClient client(ClientOptions options) {
        return LeaseClient.over(troubles.over(new InMemoryLeaseStore(server)), options);
    }

    @ParameterizedTest
    @EnumSource(names = "PASSING", mode = EnumSource.Mode.EXCLUDE)
    void acquire_storeRefuses_failsAtOnceInEveryForm(Kind kind) {
        try (LeaseClient client = client(troubles.options().build())) {
            troubles.taking(kind);

            AcquiringForms.areRefused(client.lock(NAME), server.address());
        }
    }

    @Test
    void tryLock_troubleLastsForAllItsTime_saysSo() {
        try (LeaseClient client =
                client(troubles.options().storeTimeout(Duration.ofMillis(300)).build())) {
            troubles.taking(Kind.PASSING);
            DistributedLock lock = client.lock(NAME);

            AcquiringForms.isRefused("tryLock", lock::tryLock, server.address());
            AcquiringForms.isRefused("tryLock timed", () -> lock.tryLock(200, TimeUnit.MILLISECONDS), server.address());
            AcquiringForms.isRefused(
                    "tryAcquireAsync",
                    () -> lock.tryAcquireAsync(Duration.ofMillis(200)).join(),
                    server.address());
        }
    }
}
