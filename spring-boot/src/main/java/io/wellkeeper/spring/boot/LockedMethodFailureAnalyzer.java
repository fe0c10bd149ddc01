package io.wellkeeper.spring.boot;

import io.wellkeeper.spring.InvalidLockedMethodException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Names the method that cannot be guarded, and says why. */
final class LockedMethodFailureAnalyzer extends AbstractFailureAnalyzer<InvalidLockedMethodException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidLockedMethodException cause) {
        return new FailureAnalysis(
                String.valueOf(cause.getMessage()),
                "Correct the method, or its @Locked; docs/spring.md says what can be guarded, and how names are written. Where a"
                        + " LockClient is missing: with wellkeeper.enabled=false none is configured.",
                cause);
    }
}
