package io.wellkeeper.spring.boot;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Names the key under {@code wellkeeper} that has a URI as its value, but is not for a URI. Unlike Spring Boot's own
 * analyzer it does not show the value, which may contain a password.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class MisplacedUriFailureAnalyzer extends AbstractFailureAnalyzer<BindException> {

    private static final ConfigurationPropertyName OURS = ConfigurationPropertyName.of("wellkeeper");

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, BindException cause) {
        ConfigurationProperty property = cause.getProperty();
        if (property == null
                || !OURS.isAncestorOf(property.getName())
                || !String.valueOf(property.getValue()).contains(":/")) {
            return null;
        }
        return new FailureAnalysis(
                property.getName() + " has a URI for its value, and is for something else"
                        + (property.getOrigin() == null ? "" : " (" + property.getOrigin() + ")"),
                "The URI of the store of locks is wellkeeper.uri. docs/spring.md says what the other properties are.",
                cause);
    }
}
