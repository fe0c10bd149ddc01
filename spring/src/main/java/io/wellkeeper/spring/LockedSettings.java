package io.wellkeeper.spring;

import org.springframework.core.Ordered;

/**
 * How guarded methods behave in one application context: a bean that {@link EnableLocked} makes. Whoever imports
 * {@link LockedConfiguration} without it gives one of his own, or has the {@linkplain #defaults() defaults}.
 *
 * @param order of the advisor among others: those with smaller numbers come before it, outside of the lock
 * @param inTransaction what methods do that do not say it themselves
 */
public record LockedSettings(int order, InTransaction inTransaction) {

    /** Inside of security checks, outside of transactions and caches, if those have their default order. */
    public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 1000;

    /**
     * Says what {@link InTransaction#DEFAULT} means.
     *
     * @param order of the advisor
     * @param inTransaction what methods do that do not say it themselves
     */
    public LockedSettings {
        if (inTransaction == InTransaction.DEFAULT) {
            inTransaction = InTransaction.RELEASE_AFTER_COMPLETION;
        }
    }

    /** {@return {@link #DEFAULT_ORDER}, and {@link InTransaction#RELEASE_AFTER_COMPLETION}} */
    public static LockedSettings defaults() {
        return new LockedSettings(DEFAULT_ORDER, InTransaction.DEFAULT);
    }
}
