package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.LockHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A client that asks for many locks at once keeps the locks that it has, and so does another client. {@code
 * storekit/burst} asks for 30,000 locks while other processes keep the machine busy.
 */
@Tag("burst")
abstract class BurstContract extends LockKit {

    private static final int BURST = Integer.getInteger("io.wellkeeper.storekit.burst", 1_000);
    // processes that keep the machine busy
    private static final int BUSY = Integer.getInteger("io.wellkeeper.storekit.busy", 0);
    private static final int HELD = 200;
    // other tests keep the machine busy too
    private static final Duration TIMEOUT = Duration.ofSeconds(BUSY == 0 ? 10 : 4);
    private static final Duration STORE_TIMEOUT = Duration.ofMinutes(1); // the machine may be slow

    private final AtomicInteger lost = new AtomicInteger();

    private List<CompletableFuture<LockHandle>> acquire(Client client, String prefix, int count) {
        List<CompletableFuture<LockHandle>> coming = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            coming.add(client.lock(name + prefix + i).acquireAsync());
        }
        coming.forEach(handle -> handle.thenAccept(held -> held.onLost(lost::incrementAndGet)));
        return coming;
    }

    private static List<LockHandle> get(List<CompletableFuture<LockHandle>> coming) throws Exception {
        CompletableFuture.allOf(coming.toArray(CompletableFuture<?>[]::new)).get(5, TimeUnit.MINUTES);
        return coming.stream().map(CompletableFuture::join).toList();
    }

    @Test
    void acquireAsync_manyNamesAtOnce_noHeldLockIsLost() throws Exception {
        Client client = client(options().sessionTimeout(TIMEOUT).storeTimeout(STORE_TIMEOUT));
        Client bystander = client(options().sessionTimeout(TIMEOUT).storeTimeout(STORE_TIMEOUT));
        List<LockHandle> held = new ArrayList<>(get(acquire(client, "/held/", HELD)));
        held.addAll(get(acquire(bystander, "/bystander/", HELD)));
        List<Process> busy = new ArrayList<>();
        try {
            for (int i = 0; i < BUSY; i++) {
                busy.add(new ProcessBuilder("/bin/sh", "-c", "while kill -0 $PPID; do :; done")
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start());
            }

            held.addAll(get(acquire(client, "/burst/", BURST)));

            assertThat(held).allMatch(LockHandle::isHeld);
            assertThat(lost).hasValue(0);
            held.forEach(LockHandle::close);
        } finally {
            busy.forEach(Process::destroyForcibly);
        }
        get(acquire(client, "/last/", 1)).forEach(LockHandle::close); // granted when all the others are released
    }
}
