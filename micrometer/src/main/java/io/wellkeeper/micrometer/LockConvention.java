package io.wellkeeper.micrometer;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.GlobalObservationConvention;
import io.micrometer.observation.Observation;

/**
 * The names and key values of {@linkplain LockObservations observations}. To change them, register a subclass at the
 * registry: {@code registry.observationConfig().observationConvention(new MyConvention())}.
 */
public class LockConvention implements GlobalObservationConvention<LockContext> {

    /** The convention that is used if none is registered. */
    public LockConvention() {}

    @Override
    public boolean supportsContext(Observation.Context context) {
        return context instanceof LockContext;
    }

    /**
     * {@code wellkeeper.lock.acquisition}; it differs from the timer of {@link LockMetrics}, because both may become
     * metrics.
     */
    @Override
    public String getName() {
        return "wellkeeper.lock.acquisition";
    }

    /** Such as {@code acquire orders/*}: the name of the span. */
    @Override
    public String getContextualName(LockContext context) {
        return "acquire " + context.group();
    }

    /** {@code lock.group}, {@code mode} and {@code outcome}. */
    @Override
    public KeyValues getLowCardinalityKeyValues(LockContext context) {
        return KeyValues.of("lock.group", context.group(), "mode", context.mode(), "outcome", context.outcome());
    }

    /** {@code lock.name}, the name itself: for spans, never for metrics. */
    @Override
    public KeyValues getHighCardinalityKeyValues(LockContext context) {
        return KeyValues.of("lock.name", String.join(" ", context.names()));
    }
}
