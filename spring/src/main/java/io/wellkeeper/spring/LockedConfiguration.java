package io.wellkeeper.spring;

import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockClient;
import org.springframework.aop.Advisor;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/**
 * The beans that guard {@link Locked} methods. Import them instead of using {@link EnableLocked} if you have a bean of
 * type {@link LockedSettings} of your own.
 */
@Configuration(proxyBeanMethods = false)
@Import(LockedConfiguration.AutoProxies.class)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public class LockedConfiguration {

    /** Called by Spring. */
    public LockedConfiguration() {}

    /** Makes the context create proxies for the advisors of the infrastructure. */
    static final class AutoProxies implements ImportBeanDefinitionRegistrar {

        @Override
        public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
            AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
        }
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockedMethods wellkeeperLockedMethods(
            ConfigurableListableBeanFactory beans, Environment environment, ObjectProvider<LockedSettings> settings) {
        return new LockedMethods(
                settings.getIfAvailable(LockedSettings::defaults), new NameExpressions(beans, environment));
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockedHints wellkeeperLockedHints(LockedMethods methods) {
        return new LockedHints(methods);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static Locks wellkeeperLocks(ObjectProvider<LockClient> clients, ObjectProvider<LeaseClient> leaseClients) {
        return new Locks(clients, leaseClients);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static Advisor wellkeeperLockedAdvisor(
            LockedMethods methods, Locks locks, ObjectProvider<LockedSettings> settings) {
        DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(methods, new LockedInterceptor(methods, locks));
        advisor.setOrder(settings.getIfAvailable(LockedSettings::defaults).order());
        return advisor;
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static Transactions.ManagersCheck wellkeeperTransactionsCheck() {
        return new Transactions.ManagersCheck();
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockedStart wellkeeperLockedStart(
            ConfigurableListableBeanFactory beans, LockedMethods methods, Locks locks) {
        return new LockedStart(beans, methods, locks);
    }
}
