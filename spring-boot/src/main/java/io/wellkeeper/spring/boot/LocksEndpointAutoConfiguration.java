package io.wellkeeper.spring.boot;

import io.wellkeeper.LockClient;
import io.wellkeeper.spi.StoreUri;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/**
 * Configures the endpoint {@code locks}, and prevents all endpoints from showing the secrets of {@code wellkeeper.uri}.
 */
@AutoConfiguration(after = WellkeeperAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnBooleanProperty(name = "wellkeeper.enabled", matchIfMissing = true)
public final class LocksEndpointAutoConfiguration {

    @Bean
    @ConditionalOnSingleCandidate(LockClient.class)
    @ConditionalOnMissingBean
    @ConditionalOnAvailableEndpoint
    LocksEndpoint locksEndpoint(LockClient client) {
        return new LocksEndpoint(client);
    }

    @Bean
    @ConditionalOnBean(LocksEndpoint.class)
    @ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
    LocksEndpointWebExtension locksEndpointWebExtension(LocksEndpoint endpoint) {
        return new LocksEndpointWebExtension(endpoint);
    }

    @Bean
    SanitizingFunction wellkeeperUriSanitizingFunction() {
        return SanitizingFunction.of(LocksEndpointAutoConfiguration::withoutSecrets)
                .ifKeyMatches(key -> key.replaceAll("[._-]", "").equalsIgnoreCase("wellkeeperuri"));
    }

    private static SanitizableData withoutSecrets(SanitizableData data) {
        try {
            return data.withValue(
                    StoreUri.parse(String.valueOf(data.getValue())).toString());
        } catch (IllegalArgumentException wrong) {
            return data.withSanitizedValue();
        }
    }
}
