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

    /** Names one request to take a ticket, and no other of this process. */
    static String requestId() {
        return Long.toString(REQUESTS.incrementAndGet(), Character.MAX_RADIX);
    }

    /**
     * What the call returns; what it throws fails the stage, so that there is one way to fail. Errors too: a driver that is
     * not there, or not whole, throws one. And what returns no stage has failed.
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
     * What the call has registered. To take that back cannot fail: a watch of which the store does not let go may tell more
     * than is wanted, and whoever is told knows that.
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

    /** Where a store is, for messages. That it cannot say so must not cost anybody more than the name of the place. */
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
     * Whether no waiting helps: the store says so, or has failed in a way in which none may, which is a bug, or a driver that
     * is not there.
     */
    static boolean isRefusal(@Nullable Throwable failure) {
        if (failure == null) {
            return false;
        }
        Throwable cause = unwrap(failure);
        return cause instanceof StoreRefusalException || !(cause instanceof LockStoreException);
    }

    /** What the store said, in its own words. */
    static String message(@Nullable Throwable failure) {
        if (failure == null) {
            return "unknown";
        }
        Throwable cause = unwrap(failure);
        return cause instanceof LockStoreException ? String.valueOf(cause.getMessage()) : cause.toString();
    }

    /** Whether the store has failed in other words than before, if it had. */
    static boolean isNews(@Nullable Throwable before, Throwable failure) {
        return before == null || !message(before).equals(message(failure));
    }

    /**
     * What a failure of the store means to the caller of a lock.
     *
     * @param address the store's
     */
    static LockStoreException translate(String address, Throwable failure) {
        String message = message(failure);
        return new LockStoreException(
                message.contains(address) ? message : "store " + address + ": " + message, unwrap(failure));
    }

    /** An exception of the calling thread's own that says the same; for what was made on another thread. */
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
