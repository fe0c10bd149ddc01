package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockStoreException;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** All ways to ask for a lock. */
final class AcquiringForms {

    private static final Duration LONG = Duration.ofSeconds(60);

    private AcquiringForms() {}

    /** Each with its name. */
    static Map<String, ThrowingCallable> of(DistributedLock lock) {
        Map<String, ThrowingCallable> forms = new LinkedHashMap<>();
        forms.put("lock", lock::lock);
        forms.put("lockInterruptibly", lock::lockInterruptibly);
        forms.put("tryLock", lock::tryLock);
        forms.put("tryLock timed", () -> lock.tryLock(60, TimeUnit.SECONDS));
        forms.put("acquire", lock::acquire);
        forms.put("tryAcquire", lock::tryAcquire);
        forms.put("tryAcquire timed", () -> lock.tryAcquire(LONG));
        forms.put("acquireAsync", () -> lock.acquireAsync().join());
        forms.put("tryAcquireAsync", () -> lock.tryAcquireAsync(LONG).join());
        forms.put(
                "withLockAsync",
                () -> lock.withLockAsync(handle -> CompletableFuture.completedFuture("done"))
                        .join());
        return forms;
    }

    /** Every form fails at once, with an exception of the caller's own that says why. */
    static void areRefused(DistributedLock lock, String address) {
        of(lock).forEach((form, call) -> isRefused(form, call, address));
    }

    /** This one fails at once, with an exception of the caller's own that says why. */
    static void isRefused(String form, ThrowingCallable call, String address) {
        long start = System.nanoTime();
        Throwable thrown = catchThrowable(call);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).as(form).isLessThan(Duration.ofSeconds(10));
        boolean wrapped = thrown instanceof CompletionException;
        Throwable told = wrapped ? thrown.getCause() : thrown;
        assertThat(told)
                .as(form)
                .isExactlyInstanceOf(LockStoreException.class)
                .hasMessageContaining(Troubles.WORDS)
                .hasMessageContaining(address)
                .cause()
                .hasMessageContaining(Troubles.WORDS);
        if (!wrapped) {
            assertThat(Arrays.stream(told.getStackTrace()).map(StackTraceElement::getClassName))
                    .as(form)
                    .contains(AcquiringForms.class.getName());
        }
    }
}
