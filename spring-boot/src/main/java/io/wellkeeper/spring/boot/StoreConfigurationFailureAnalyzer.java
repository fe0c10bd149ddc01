package io.wellkeeper.spring.boot;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says what is wrong with the store of locks, and what to do. */
final class StoreConfigurationFailureAnalyzer extends AbstractFailureAnalyzer<StoreConfigurationException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, StoreConfigurationException cause) {
        return new FailureAnalysis(String.valueOf(cause.getMessage()), cause.action(), cause);
    }
}
