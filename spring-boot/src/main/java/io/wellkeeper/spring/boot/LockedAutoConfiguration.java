package io.wellkeeper.spring.boot;

import io.wellkeeper.spring.InTransaction;
import io.wellkeeper.spring.LockedConfiguration;
import io.wellkeeper.spring.LockedSettings;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;

/**
 * Switches on {@link io.wellkeeper.spring.Locked}, whether or not a client is configured: a method that is to be guarded never runs
 * without its lock.
 */
@AutoConfiguration(after = WellkeeperAutoConfiguration.class)
@EnableConfigurationProperties(WellkeeperProperties.class)
@Import(LockedConfiguration.class)
public final class LockedAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockedSettings wellkeeperLockedSettings(WellkeeperProperties properties) {
        Integer order = properties.locked().order();
        InTransaction inTransaction = properties.locked().inTransaction();
        return new LockedSettings(
                order == null ? LockedSettings.DEFAULT_ORDER : order,
                inTransaction == null ? InTransaction.DEFAULT : inTransaction);
    }
}
