package io.wellkeeper;

import io.wellkeeper.spi.Time;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;

/** How one client behaves. Immutable. */
public final class ClientOptions {

    private static final ClientOptions DEFAULTS = new Builder().build();

    private final String clientName;
    private final Duration sessionTimeout;
    private final Duration storeTimeout;
    private final Duration closeTimeout;
    private final LockOptions lockDefaults;
    private final Optional<LockListener> listener;
    private final Optional<Executor> callbackExecutor;
    private final Optional<Time> time;

    private ClientOptions(Builder from) {
        this.clientName = from.clientName;
        this.sessionTimeout = from.sessionTimeout;
        this.storeTimeout = from.storeTimeout;
        this.closeTimeout = from.closeTimeout;
        this.lockDefaults = from.lockDefaults;
        this.listener = from.listener;
        this.callbackExecutor = from.callbackExecutor;
        this.time = from.time;
    }

    /** Session timeout 10 s, store timeout 5 s, close timeout 5 s, locks as {@link LockOptions#defaults()}. */
    public static ClientOptions defaults() {
        return DEFAULTS;
    }

    /** A builder that starts from {@link #defaults()}. */
    public static Builder builder() {
        return new Builder();
    }

    /** A builder that starts from these options. */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.clientName = clientName;
        builder.sessionTimeout = sessionTimeout;
        builder.storeTimeout = storeTimeout;
        builder.closeTimeout = closeTimeout;
        builder.lockDefaults = lockDefaults;
        builder.listener = listener;
        builder.callbackExecutor = callbackExecutor;
        builder.time = time;
        return builder;
    }

    /** Shown to whoever looks at the queue. Empty by default: then it is {@code host:pid}. */
    public String clientName() {
        return clientName;
    }

    /**
     * After how long without a sign of life from this process its locks pass to others. The store may bound it. One
     * session carries all locks of a client, so it belongs to the client and not to a lock.
     */
    public Duration sessionTimeout() {
        return sessionTimeout;
    }

    /** How long a call that does not wait in a queue waits for the store's answer. */
    public Duration storeTimeout() {
        return storeTimeout;
    }

    /** How long {@code close()} waits until the store has acknowledged what was given back. */
    public Duration closeTimeout() {
        return closeTimeout;
    }

    /** The options of a lock for which no others are given. */
    public LockOptions lockDefaults() {
        return lockDefaults;
    }

    /** Told what happens. */
    public Optional<LockListener> listener() {
        return listener;
    }

    /** Where callbacks run; empty: on one daemon thread of the client's own. */
    public Optional<Executor> callbackExecutor() {
        return callbackExecutor;
    }

    /** The clock; empty: the machine's monotonic clock and one daemon thread of the client's own. */
    public Optional<Time> time() {
        return time;
    }

    @Override
    public String toString() { // of what is not ours only whether it is there
        return "ClientOptions[clientName=" + clientName + ", sessionTimeout=" + sessionTimeout + ", storeTimeout="
                + storeTimeout + ", closeTimeout=" + closeTimeout + ", lockDefaults=" + lockDefaults + ", listener="
                + listener.isPresent() + ", callbackExecutor=" + callbackExecutor.isPresent() + ", time="
                + time.isPresent() + "]";
    }

    /** Makes {@link ClientOptions}. Not thread-safe. */
    public static final class Builder {

        private static final int MAX_NAME = 256;

        private String clientName = "";
        private Duration sessionTimeout = Duration.ofSeconds(10);
        private Duration storeTimeout = Duration.ofSeconds(5);
        private Duration closeTimeout = Duration.ofSeconds(5);
        private LockOptions lockDefaults = LockOptions.defaults();
        private Optional<LockListener> listener = Optional.empty();
        private Optional<Executor> callbackExecutor = Optional.empty();
        private Optional<Time> time = Optional.empty();

        private Builder() {}

        /** Sets {@link ClientOptions#clientName()}; at most 256 characters. */
        public Builder clientName(String name) {
            if (name.length() > MAX_NAME) {
                throw new IllegalArgumentException(
                        "clientName has " + name.length() + " characters; at most " + MAX_NAME + " are allowed");
            }
            this.clientName = name;
            return this;
        }

        /** Sets {@link ClientOptions#sessionTimeout()}; at least 100 ms. */
        public Builder sessionTimeout(Duration timeout) {
            this.sessionTimeout = Durations.atLeast("sessionTimeout", timeout, Duration.ofMillis(100));
            return this;
        }

        /** Sets {@link ClientOptions#storeTimeout()}; at least 1 ms. */
        public Builder storeTimeout(Duration timeout) {
            this.storeTimeout = Durations.atLeast("storeTimeout", timeout, Duration.ofMillis(1));
            return this;
        }

        /** Sets {@link ClientOptions#closeTimeout()}. */
        public Builder closeTimeout(Duration timeout) {
            this.closeTimeout = Durations.notNegative("closeTimeout", timeout);
            return this;
        }

        /** Sets {@link ClientOptions#lockDefaults()}. */
        public Builder lockDefaults(LockOptions options) {
            this.lockDefaults = Objects.requireNonNull(options, "lockDefaults");
            return this;
        }

        /** Sets {@link ClientOptions#listener()}. */
        public Builder listener(LockListener listener) {
            this.listener = Optional.of(listener);
            return this;
        }

        /**
         * Sets {@link ClientOptions#callbackExecutor()}, which the client does not shut down. It must run tasks on a thread
         * of its own, never on the thread that hands them in. What it refuses, and must not be missed, runs on the client's own
         * daemon thread; the listener is not told of what it refuses.
         */
        public Builder callbackExecutor(Executor executor) {
            this.callbackExecutor = Optional.of(executor);
            return this;
        }

        /**
         * Sets {@link ClientOptions#time()}; for tests under simulated time. Connecting then does not wait for the first
         * session, because the thread that connects may be the one that drives the clock.
         */
        public Builder time(Time time) {
            this.time = Optional.of(time);
            return this;
        }

        /** The options. */
        public ClientOptions build() {
            return new ClientOptions(this);
        }
    }
}
