package io.wellkeeper.spring.boot;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.observation.ObservationRegistry;
import io.wellkeeper.LockClient;
import io.wellkeeper.micrometer.LockGroups;
import io.wellkeeper.micrometer.LockMetrics;
import io.wellkeeper.micrometer.LockObservations;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Counts and times what happens to locks, and observes the calls that want a lock, if the application has the
 * registries.
 */
@AutoConfiguration(
        before = WellkeeperAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration"
        })
@ConditionalOnClass({LockMetrics.class, MeterRegistry.class})
public final class LockMetricsAutoConfiguration {

    /** The groups of lock names in metrics. */
    @Bean
    @ConditionalOnMissingBean
    LockGroups wellkeeperLockGroups() {
        return new LockGroups();
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean(MeterRegistry.class)
    @EnableConfigurationProperties(WellkeeperProperties.class)
    static class Metrics {

        @Bean
        @ConditionalOnMissingBean
        LockMetrics wellkeeperLockMetrics(MeterRegistry registry, LockGroups groups, WellkeeperProperties properties) {
            LockMetrics metrics = new LockMetrics(registry, groups, Tags.empty());
            properties
                    .metrics()
                    .declared()
                    .forEach((mode, names) -> names.forEach(name -> metrics.declare(name, mode)));
            return metrics;
        }

        @Bean
        SmartInitializingSingleton wellkeeperSessionMetrics(LockMetrics metrics, ObjectProvider<LockClient> clients) {
            return () -> clients.ifUnique(metrics::watch);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean(ObservationRegistry.class)
    static class Observations {

        @Bean
        static BeanPostProcessor wellkeeperLockObservations(
                ObjectProvider<ObservationRegistry> registry, ObjectProvider<LockGroups> groups) {
            return new BeanPostProcessor() {
                @Override
                public Object postProcessAfterInitialization(Object bean, String name) {
                    return bean instanceof LockClient client
                            ? new LockObservations(registry.getObject(), groups.getObject()).observe(client)
                            : bean;
                }
            };
        }
    }
}
