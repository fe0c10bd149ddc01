package io.wellkeeper.spring;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Role;
import org.springframework.core.type.AnnotationMetadata;

/**
 * The beans that guard {@link Locked} methods, for whoever imports them without {@link EnableLocked}, with a
 * {@link LockedSettings} of his own.
 */
@Configuration(proxyBeanMethods = false)
@Import(LockedConfiguration.AutoProxies.class)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public class LockedConfiguration {

    /** For Spring. */
    public LockedConfiguration() {}

    /** Has the context make proxies where advisors of the infrastructure ask for it. */
    static final class AutoProxies implements ImportBeanDefinitionRegistrar {

        @Override
        public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
            AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
        }
    }
}
