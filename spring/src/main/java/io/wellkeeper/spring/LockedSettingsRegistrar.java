package io.wellkeeper.spring;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.type.AnnotationMetadata;

/** Registers the settings bean for the values of {@link EnableLocked}, once. */
final class LockedSettingsRegistrar implements ImportBeanDefinitionRegistrar {

    private static final String NAME = LockedSettings.class.getName();

    @Override
    public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
        MergedAnnotation<EnableLocked> enabled = importing.getAnnotations().get(EnableLocked.class);
        if (enabled.getBoolean("proxyTargetClass")) {
            AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
            AopConfigUtils.forceAutoProxyCreatorToUseClassProxying(registry);
        }
        if (!registry.containsBeanDefinition(NAME)) {
            RootBeanDefinition settings = new RootBeanDefinition(LockedSettings.class);
            settings.setRole(BeanDefinition.ROLE_INFRASTRUCTURE);
            settings.getConstructorArgumentValues().addIndexedArgumentValue(0, enabled.getInt("order"));
            settings.getConstructorArgumentValues()
                    .addIndexedArgumentValue(1, enabled.getEnum("inTransaction", InTransaction.class));
            registry.registerBeanDefinition(NAME, settings);
        }
    }
}
