package io.wellkeeper.spring.boot;

import io.wellkeeper.spring.InTransaction;
import io.wellkeeper.spring.LockedConfiguration;
import io.wellkeeper.spring.LockedSettings;
import io.wellkeeper.spring.boot.WellkeeperProperties.Locked;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;

/**
 * Switches on {@link io.wellkeeper.spring.Locked}, also if no client is configured: so a guarded method never runs
 * without its lock.
 */
@AutoConfiguration(after = WellkeeperAutoConfiguration.class)
@EnableConfigurationProperties(WellkeeperProperties.class)
@Import(LockedConfiguration.class)
public final class LockedAutoConfiguration {

    /** Binds the properties itself, because proxies may be made before the bean of the properties. */
    @Bean
    @ConditionalOnMissingBean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockedSettings wellkeeperLockedSettings(Environment environment) {
        Locked locked = Binder.get(environment).bindOrCreate("wellkeeper.locked", Locked.class);
        return new LockedSettings(
                locked.order() == null ? LockedSettings.DEFAULT_ORDER : locked.order(),
                locked.inTransaction() == null ? InTransaction.DEFAULT : locked.inTransaction());
    }
}
