package io.wellkeeper.jdbc;

import static io.wellkeeper.jdbc.Await.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.LeaseStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Filter;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("full")
class NativePostgresTroublesTest extends NativeTroubles {

    private static final Logger DRIVER = Logger.getLogger("org.postgresql.core.v3.QueryExecutorImpl");
    private static final Duration TTL = Duration.ofMinutes(5);
    private static final int LEASES = 50;
    private static final int FEW = 3;

    NativePostgresTroublesTest(PostgresServer server) {
        super(server);
    }

    private static String call(String function) {
        return "SELECT " + function
                + "(('x' || left(encode(sha256(convert_to(?, 'UTF8')), 'hex'), 16))::bit(64)::bigint)";
    }

    @Override
    String strangersLock() {
        return call("pg_try_advisory_lock");
    }

    @Override
    String strangersUnlock() {
        return call("pg_advisory_unlock");
    }

    @Test
    void tryAcquire_nameIsANumber_isThatLock() {
        LeaseStore store = store();
        ask(store, "-4242", TTL).orElseThrow();

        assertThat(kit.query("SELECT pg_try_advisory_lock(-4242)")).containsExactly("f");
        assertThat(kit.query("SELECT pg_try_advisory_lock(4242)")).containsExactly("t");
        assertThat(ask(store, "-04242", TTL)).isPresent();
    }

    @Test
    void renew_manyLeases_takesAStatementOrTwo() {
        LeaseStore store = store();
        List<Lease> leases = new ArrayList<>();
        AtomicInteger trips = new AtomicInteger();
        Filter counting = message -> {
            if (message.getMessage().contains("FE=> Sync")) {
                trips.incrementAndGet();
            }
            return false;
        };
        for (int i = 0; i < LEASES; i++) {
            leases.add(ask(store, name + i, Duration.ofSeconds(4)).orElseThrow());
        }
        DRIVER.setFilter(counting);
        DRIVER.setLevel(Level.FINEST);
        try {
            List<CompletionStage<Boolean>> renewals = new ArrayList<>();
            leases.forEach(lease -> renewals.add(store.renew(lease, Duration.ofSeconds(4))));
            assertThat(renewals).allSatisfy(renewed -> assertThat(get(renewed)).isTrue());
        } finally {
            DRIVER.setLevel(Level.INFO);
            DRIVER.setFilter(null);
        }
        assertThat(trips).hasValueBetween(1, FEW);
    }

    @Test
    void lockAndUnlock_oneRoundTripEach() {
        LeaseStore store = store();
        get(store.release(ask(store, name, TTL).orElseThrow()));
        AtomicInteger trips = new AtomicInteger();
        DRIVER.setFilter(message -> {
            if (message.getMessage().contains("FE=> Sync")) {
                trips.incrementAndGet();
            }
            return false;
        });
        DRIVER.setLevel(Level.FINEST);
        try {
            for (int i = 0; i < LEASES; i++) {
                get(store.release(ask(store, name, TTL).orElseThrow()));
            }
        } finally {
            DRIVER.setLevel(Level.INFO);
            DRIVER.setFilter(null);
        }
        assertThat(trips).hasValue(2 * LEASES);
    }
}
