package io.wellkeeper;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * How one lock behaves. Immutable.
 *
 * <p>The options {@code handOvers}, {@code handOverTime}, {@code reentrant} and {@code retain} must be the same
 * wherever one client uses the same name at the same time: an acquisition with different ones throws an {@link
 * IllegalStateException}. The other options may differ from use to use.
 */
public final class LockOptions {

    /** The largest hand-over bound. */
    public static final int MAX_HAND_OVERS = 63;

    private static final int MAX_TEXT = 1024;
    private static final LockOptions DEFAULTS = new Builder().build();

    private final int handOvers;
    private final Duration handOverTime;
    private final boolean reentrant;
    private final boolean retain;
    private final boolean awaitRelease;
    private final boolean interruptOnLoss;
    private final String reason;
    private final Map<String, String> labels;

    private LockOptions(Builder from) {
        this.handOvers = from.handOvers;
        this.handOverTime = from.handOverTime;
        this.reentrant = from.reentrant;
        this.retain = from.retain;
        this.awaitRelease = from.awaitRelease;
        this.interruptOnLoss = from.interruptOnLoss;
        this.reason = from.reason;
        this.labels = Map.copyOf(from.labels);
    }

    /**
     * {@return options with 16 hand-overs within 100 ms, reentrant, not retained, releases not awaited, threads not
     * interrupted, no reason and no labels}
     */
    public static LockOptions defaults() {
        return DEFAULTS;
    }

    /** {@return a builder that starts from {@link #defaults()}} */
    public static Builder builder() {
        return new Builder();
    }

    /** {@return a builder that starts from these options} */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.handOvers = handOvers;
        builder.handOverTime = handOverTime;
        builder.reentrant = reentrant;
        builder.retain = retain;
        builder.awaitRelease = awaitRelease;
        builder.interruptOnLoss = interruptOnLoss;
        builder.reason = reason;
        builder.labels.putAll(labels);
        return builder;
    }

    /**
     * {@return how often the threads of one client may hand the lock over among themselves while other clients wait: 0 to
     * {@value #MAX_HAND_OVERS}} With 0 every acquisition takes a number of its own, for strict order over all processes.
     */
    public int handOvers() {
        return handOvers;
    }

    /**
     * {@return for how long, since the client got the lock from the store, its threads may hand it over among
     * themselves while other clients wait, or may wait as far as this client knows}
     */
    public Duration handOverTime() {
        return handOverTime;
    }

    /** {@return whether a thread may acquire a lock again that it already holds} */
    public boolean reentrant() {
        return reentrant;
    }

    /**
     * {@return whether the client keeps its ticket after unlock while nobody else waits, and gives it up as soon as a
     * newcomer shows up} Acquiring again then costs no request at all. A newcomer's untimed {@code tryLock()} may find the
     * lock taken though nobody is inside.
     */
    public boolean retain() {
        return retain;
    }

    /**
     * {@return whether a release waits until the store has acknowledged it, or {@link ClientOptions#storeTimeout()} is over}
     */
    public boolean awaitRelease() {
        return awaitRelease;
    }

    /**
     * {@return whether the thread that holds the lock is interrupted when the lock is lost} It is interrupted at most once
     * for each hold, and never after it has unlocked; holds of handles have no thread.
     */
    public boolean interruptOnLoss() {
        return interruptOnLoss;
    }

    /** {@return why the lock is wanted, shown when the queue is inspected; empty by default} */
    public String reason() {
        return reason;
    }

    /**
     * {@return further texts that are shown when the queue is inspected, by keys of the user's own choice; immutable}
     */
    public Map<String, String> labels() {
        return labels;
    }

    @Override
    public String toString() {
        return "LockOptions[handOvers=" + handOvers + ", handOverTime=" + handOverTime + ", reentrant=" + reentrant
                + ", retain=" + retain + ", awaitRelease=" + awaitRelease + ", interruptOnLoss=" + interruptOnLoss
                + ", reason=" + reason + ", labels=" + labels + "]";
    }

    /** Makes {@link LockOptions}. Not thread-safe. */
    public static final class Builder {

        private int handOvers = 16;
        private Duration handOverTime = Duration.ofMillis(100);
        private boolean reentrant = true;
        private boolean retain;
        private boolean awaitRelease;
        private boolean interruptOnLoss;
        private String reason = "";
        private final Map<String, String> labels = new LinkedHashMap<>();

        private Builder() {}

        /**
         * Sets {@link LockOptions#handOvers()}.
         *
         * @param count 0 to {@value LockOptions#MAX_HAND_OVERS}
         * @return this builder
         * @throws IllegalArgumentException if it is anything else
         */
        public Builder handOvers(int count) {
            if (count < 0 || count > MAX_HAND_OVERS) {
                throw new IllegalArgumentException(
                        "handOvers is " + count + "; 0 to " + MAX_HAND_OVERS + " is allowed");
            }
            this.handOvers = count;
            return this;
        }

        /**
         * Sets {@link LockOptions#handOverTime()}.
         *
         * @param time counted from when the client got the lock from the store
         * @return this builder
         * @throws IllegalArgumentException if it is negative
         */
        public Builder handOverTime(Duration time) {
            this.handOverTime = Durations.notNegative("handOverTime", time);
            return this;
        }

        /**
         * Sets {@link LockOptions#reentrant()}.
         *
         * @param yes false to refuse a thread that acquires the lock again while it holds it
         * @return this builder
         */
        public Builder reentrant(boolean yes) {
            this.reentrant = yes;
            return this;
        }

        /**
         * Sets {@link LockOptions#retain()}.
         *
         * @param yes true to keep the ticket while nobody else wants it
         * @return this builder
         */
        public Builder retain(boolean yes) {
            this.retain = yes;
            return this;
        }

        /**
         * Sets {@link LockOptions#awaitRelease()}.
         *
         * @param yes true to have each release wait for one round trip
         * @return this builder
         */
        public Builder awaitRelease(boolean yes) {
            this.awaitRelease = yes;
            return this;
        }

        /**
         * Sets {@link LockOptions#interruptOnLoss()}.
         *
         * @param yes true to have the holder's thread interrupted
         * @return this builder
         */
        public Builder interruptOnLoss(boolean yes) {
            this.interruptOnLoss = yes;
            return this;
        }

        /**
         * Sets {@link LockOptions#reason()}.
         *
         * @param text at most 1,024 characters, the labels included; empty for none
         * @return this builder
         * @throws IllegalArgumentException if it alone is longer
         */
        public Builder reason(String text) {
            this.reason = checkText("reason", text);
            return this;
        }

        /**
         * Adds one of {@link LockOptions#labels()}, or replaces the one of this key.
         *
         * @param key not empty
         * @param value key and value have at most 1,024 characters together
         * @return this builder
         * @throws IllegalArgumentException if the key is empty, or they are longer
         */
        public Builder label(String key, String value) {
            checkText("label", key + value);
            if (key.isEmpty()) {
                throw new IllegalArgumentException("label key is empty");
            }
            labels.put(key, value);
            return this;
        }

        /**
         * {@return the options as they are set by now}
         *
         * @throws IllegalArgumentException if reason and labels have more than 1,024 characters in all
         */
        public LockOptions build() {
            int size = reason.length();
            for (Map.Entry<String, String> label : labels.entrySet()) {
                size += label.getKey().length() + label.getValue().length();
            }
            if (size > MAX_TEXT) {
                throw new IllegalArgumentException(
                        "reason and labels have " + size + " characters; at most " + MAX_TEXT + " are allowed");
            }
            return new LockOptions(this);
        }

        private static String checkText(String what, String text) {
            Objects.requireNonNull(text, what);
            if (text.length() > MAX_TEXT) {
                throw new IllegalArgumentException(
                        what + " has " + text.length() + " characters; at most " + MAX_TEXT + " are allowed");
            }
            return text;
        }
    }
}
