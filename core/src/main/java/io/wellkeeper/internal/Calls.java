package io.wellkeeper.internal;

import io.wellkeeper.LockClientClosedException;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.Registration;
import io.wellkeeper.spi.StoreRefusalException;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How a store is called, and what its failures mean. */
final class Calls {

    private static final Logger LOG = LoggerFactory.getLogger("io.wellkeeper");
    private static final AtomicLong REQUESTS = new AtomicLong();

    private Calls() {}

    /** An id for one request to take a ticket, unique within this process. */
    static String requestId() {
        return Long.toString(REQUESTS.incrementAndGet(), Character.MAX_RADIX);
    }

    /**
     * The stage that the call returns. If the call throws, the stage fails, so that there is one way to fail. That
     * holds for errors, too: a driver that is missing or incomplete throws one. A call that returns no stage has
     * failed.
     */
    static <T> CompletionStage<T> stage(Supplier<CompletionStage<T>> call) {
        assert Monitor.noneHeld() : "a store is called under a monitor";
        try {
            return Objects.requireNonNull(call.get(), "the store has returned no stage");
        } catch (Throwable thrown) {
            return CompletableFuture.failedFuture(thrown);
        }
    }

    /**
     * The watch that the call has registered. Closing it never fails: if the store does not take the watch back, it may
     * tell more than is wanted, which its listener must expect anyway.
     */
    static Registration watch(Supplier<Registration> call) {
        Registration armed = call.get();
        return armed == Registration.NONE ? armed : () -> close(armed);
    }

    private static void close(Registration armed) {
        assert Monitor.noneHeld() : "a watch is taken back under a monitor";
        try {
            armed.close();
        } catch (Throwable failed) {
            LOG.debug("the store has not taken a watch back", failed);
        }
    }

    /** Where a store is, for messages. If the store cannot say it, the message only lacks the address. */
    static String address(Supplier<String> store) {
        try {
            return Objects.requireNonNull(store.get(), "the store has returned no address");
        } catch (Throwable thrown) {
            LOG.debug("the store does not say where it is", thrown);
            return "of unknown address";
        }
    }

    /** The exception that the store meant. */
    static Throwable unwrap(Throwable failure) {
        boolean wrapper = failure instanceof CompletionException || failure instanceof ExecutionException;
        return wrapper && failure.getCause() != null ? failure.getCause() : failure;
    }

    /**
     * Whether waiting does not help: the store says so, or it has failed with an exception that stores must not fail
     * with, which means a bug or a missing driver.
     */
    static boolean isRefusal(@Nullable Throwable failure) {
        if (failure == null) {
            return false;
        }
        Throwable cause = unwrap(failure);
        return cause instanceof StoreRefusalException || !(cause instanceof LockStoreException);
    }

    /** The message of the store's failure, in the store's own words. */
    static String message(@Nullable Throwable failure) {
        if (failure == null) {
            return "unknown";
        }
        Throwable cause = unwrap(failure);
        return cause instanceof LockStoreException ? String.valueOf(cause.getMessage()) : cause.toString();
    }

    /** Whether the store has not failed before, or failed with another message. */
    static boolean isNews(@Nullable Throwable before, Throwable failure) {
        return before == null || !message(before).equals(message(failure));
    }

    /**
     * The exception for the caller of a lock when the store has failed.
     *
     * @param address the store's
     */
    static LockStoreException translate(String address, Throwable failure) {
        String message = message(failure);
        return new LockStoreException(
                message.contains(address) ? message : "store " + address + ": " + message, unwrap(failure));
    }

    /** A new exception of the calling thread that says the same as one that was made on another thread. */
    static RuntimeException own(Throwable failure) {
        Throwable known = unwrap(failure);
        String message = String.valueOf(known.getMessage());
        if (known instanceof LockStoreException) {
            return new LockStoreException(message, known.getCause() == null ? known : known.getCause());
        }
        if (known instanceof LockClientClosedException) {
            return new LockClientClosedException(message);
        }
        return known instanceof RuntimeException unchecked ? unchecked : new IllegalStateException(known);
    }
}
