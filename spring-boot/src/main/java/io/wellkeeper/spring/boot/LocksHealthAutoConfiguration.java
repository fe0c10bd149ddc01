package io.wellkeeper.spring.boot;

import io.wellkeeper.LockClient;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.context.annotation.Bean;

/**
 * Configures the health indicator {@code wellkeeper} for the store of locks. By default it belongs to no group of
 * probes: restarting all processes would make an outage of the store worse.
 */
@AutoConfiguration(after = WellkeeperAutoConfiguration.class)
@ConditionalOnClass({AbstractHealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnSingleCandidate(LockClient.class)
@ConditionalOnEnabledHealthIndicator("wellkeeper")
public final class LocksHealthAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = {"wellkeeperHealthIndicator", "wellkeeperHealthContributor"})
    HealthContributor wellkeeperHealthContributor(
            LockClient client, ObjectProvider<LockActivity> activity, ObjectProvider<LockClients> clients) {
        LockClients configured = clients.getIfAvailable();
        return new LocksHealthIndicator(
                client, activity.getIfAvailable(), configured == null ? null : configured.address());
    }
}
