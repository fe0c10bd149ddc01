package io.wellkeeper.micrometer;

import io.micrometer.observation.Observation;
import java.util.List;

/** The context of an {@linkplain LockObservations observation} of a lock, for your own handlers and conventions. */
public final class LockContext extends Observation.Context {

    private final List<String> names;
    private final String group;
    private final String mode;
    private volatile String outcome = "none";

    LockContext(List<String> names, String group, String mode) {
        this.names = List.copyOf(names);
        this.group = group;
        this.mode = mode;
    }

    /** {@return the names of the locks: one, or those of a multi-lock} */
    public List<String> names() {
        return names;
    }

    /** {@return the {@linkplain LockGroups group} that the names have in common; {@link LockGroups#OTHER} if they have none} */
    public String group() {
        return group;
    }

    /** {@return what is wanted: {@code lock}, {@code read}, {@code write}, {@code permits}, {@code all} or {@code lease}} */
    public String mode() {
        return mode;
    }

    /**
     * {@return the outcome of the call: {@code acquired}, {@code timeout}, {@code busy}, {@code interrupted}, {@code
     * cancelled}, {@code lost} (the thread had lost the lock before), or {@code error}; {@code none} during the call}
     */
    public String outcome() {
        return outcome;
    }

    void outcome(String known) {
        this.outcome = known;
    }
}
