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

    /**
     * {@return options with a session timeout of 10 s, a store timeout of 5 s, a close timeout of 5 s, and locks as {@link
     * LockOptions#defaults()}}
     */
    public static ClientOptions defaults() {
        return DEFAULTS;
    }

    /** {@return a builder that starts from {@link #defaults()}} */
    public static Builder builder() {
        return new Builder();
    }

    /** {@return a builder that starts from these options} */
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

    /** {@return the name that is shown to whoever looks at a queue} Empty if none was given: {@code host:pid} is shown then. */
    public String clientName() {
        return clientName;
    }

    /**
     * {@return after how long without a sign of life from this process its locks pass to others} The store may bound
     * it. One session carries all locks of a client, so this is an option of the client and not of a lock.
     *
     * <p>A heartbeat is sent at least every third of it. If none is acknowledged for a little less than all of it,
     * because the process is paused (by its garbage collector, or by a busy machine) or is cut off, all locks of the
     * client are lost: with a longer timeout fewer locks are lost without need, but others wait longer for the locks of
     * a process that has died. Less than two seconds is for tests on quiet machines.
     */
    public Duration sessionTimeout() {
        return sessionTimeout;
    }

    /** {@return how long a call that does not wait in a queue waits for the store's answer} */
    public Duration storeTimeout() {
        return storeTimeout;
    }

    /** {@return how long {@code close()} waits at most until the store has acknowledged the releases} */
    public Duration closeTimeout() {
        return closeTimeout;
    }

    /** {@return the options of a lock for which no others are given} */
    public LockOptions lockDefaults() {
        return lockDefaults;
    }

    /** {@return the listener that is told what happens to the client's locks; empty if there is none} */
    public Optional<LockListener> listener() {
        return listener;
    }

    /** {@return where callbacks run; empty: on one daemon thread of the client's own} */
    public Optional<Executor> callbackExecutor() {
        return callbackExecutor;
    }

    /** {@return the clock; empty: the machine's monotonic clock and one daemon thread of the client's own} */
    public Optional<Time> time() {
        return time;
    }

    @Override
    public String toString() { // of the user's own objects only whether they are set
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

        /**
         * Sets {@link ClientOptions#clientName()}.
         *
         * @param name at most 256 characters; empty for {@code host:pid}
         * @return this builder
         * @throws IllegalArgumentException if it is longer
         */
        public Builder clientName(String name) {
            if (name.length() > MAX_NAME) {
                throw new IllegalArgumentException(
                        "clientName has " + name.length() + " characters; at most " + MAX_NAME + " are allowed");
            }
            this.clientName = name;
            return this;
        }

        /**
         * Sets {@link ClientOptions#sessionTimeout()}.
         *
         * @param timeout at least 100 ms
         * @return this builder
         * @throws IllegalArgumentException if it is shorter
         */
        public Builder sessionTimeout(Duration timeout) {
            this.sessionTimeout = Durations.atLeast("sessionTimeout", timeout, Duration.ofMillis(100));
            return this;
        }

        /**
         * Sets {@link ClientOptions#storeTimeout()}.
         *
         * @param timeout at least 1 ms
         * @return this builder
         * @throws IllegalArgumentException if it is shorter
         */
        public Builder storeTimeout(Duration timeout) {
            this.storeTimeout = Durations.atLeast("storeTimeout", timeout, Duration.ofMillis(1));
            return this;
        }

        /**
         * Sets {@link ClientOptions#closeTimeout()}.
         *
         * @param timeout zero to wait for nothing
         * @return this builder
         * @throws IllegalArgumentException if it is negative
         */
        public Builder closeTimeout(Duration timeout) {
            this.closeTimeout = Durations.notNegative("closeTimeout", timeout);
            return this;
        }

        /**
         * Sets {@link ClientOptions#lockDefaults()}.
         *
         * @param options for every lock that is asked for by its name alone
         * @return this builder
         */
        public Builder lockDefaults(LockOptions options) {
            this.lockDefaults = Objects.requireNonNull(options, "lockDefaults");
            return this;
        }

        /**
         * Sets {@link ClientOptions#listener()}.
         *
         * @param listener told on the client's callback executor; it takes the place of one that was set before
         * @return this builder
         */
        public Builder listener(LockListener listener) {
            this.listener = Optional.of(listener);
            return this;
        }

        /**
         * Sets {@link ClientOptions#callbackExecutor()}, which the client does not shut down. It must run tasks on a
         * thread of its own, never on the calling thread, and its {@code execute} must not block. The caller of {@code
         * execute} may be the thread that sends the heartbeats, or a thread of the store. If the executor blocks that
         * thread, as an executor with a bounded queue may do, nothing keeps the session or a lease alive, and locks are
         * lost. If the executor refuses a task that must not be missed, the task runs on the client's own daemon
         * thread; a refused call of the listener is dropped.
         *
         * @param executor the caller's to shut down, after the client has been closed
         * @return this builder
         */
        public Builder callbackExecutor(Executor executor) {
            this.callbackExecutor = Optional.of(executor);
            return this;
        }

        /**
         * Sets {@link ClientOptions#time()}; for tests under simulated time. Connecting then does not wait for the first
         * session, because the thread that connects may be the one that drives the clock.
         *
         * @param time the caller's own; the client does not close it
         * @return this builder
         */
        public Builder time(Time time) {
            this.time = Optional.of(time);
            return this;
        }

        /** {@return the options as they are set by now} */
        public ClientOptions build() {
            return new ClientOptions(this);
        }
    }
}
