package io.wellkeeper.spring;

import org.springframework.core.Ordered;

/**
 * How guarded methods behave in one application context: a bean that {@link EnableLocked} makes. If you import
 * {@link LockedConfiguration} without {@link EnableLocked}, you can define such a bean yourself; without one, the
 * {@linkplain #defaults() defaults} apply.
 *
 * @param order of the advisor among others: those with smaller numbers come before it, outside of the lock
 * @param inTransaction what a method does in an active transaction unless its annotation says something else
 */
public record LockedSettings(int order, InTransaction inTransaction) {

    /** Inside of security checks, outside of transactions and caches, if those have their default order. */
    public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 1000;

    /**
     * Replaces {@link InTransaction#DEFAULT} by its meaning.
     *
     * @param order of the advisor
     * @param inTransaction what a method does in an active transaction unless its annotation says something else
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
