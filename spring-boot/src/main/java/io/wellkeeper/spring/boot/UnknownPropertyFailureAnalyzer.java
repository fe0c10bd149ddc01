package io.wellkeeper.spring.boot;

import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Names the unknown keys under {@code wellkeeper}. Unlike Spring Boot's own analyzer it does not show their values,
 * which may be secrets.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class UnknownPropertyFailureAnalyzer extends AbstractFailureAnalyzer<UnboundConfigurationPropertiesException> {

    private static final ConfigurationPropertyName OURS = ConfigurationPropertyName.of("wellkeeper");

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, UnboundConfigurationPropertiesException cause) {
        Set<ConfigurationProperty> unknown = cause.getUnboundProperties();
        if (!unknown.stream().allMatch(property -> OURS.isAncestorOf(property.getName()))) {
            return null;
        }
        String which = unknown.stream()
                .map(property -> "    " + property.getName()
                        + (property.getOrigin() == null ? "" : " (" + property.getOrigin() + ")"))
                .collect(Collectors.toCollection(TreeSet::new))
                .stream()
                .collect(Collectors.joining("\n"));
        return new FailureAnalysis(
                "There are properties of wellkeeper that are not known:\n\n" + which,
                "Correct or remove them. Known are those that the metadata in wellkeeper-spring-boot lists, which editors"
                        + " complete, and docs/spring.md explains.",
                cause);
    }
}
