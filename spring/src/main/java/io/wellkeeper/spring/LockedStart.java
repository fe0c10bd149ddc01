package io.wellkeeper.spring;

import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockClient;
import java.util.Arrays;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Checks, when all beans have been made, whether there is a client with the needed locks, and whether all methods are
 * guarded.
 */
final class LockedStart implements SmartInitializingSingleton {

    private static final Logger LOG = LoggerFactory.getLogger(LockedStart.class);

    private final ConfigurableListableBeanFactory beans;
    private final LockedMethods methods;
    private final Locks locks;

    LockedStart(ConfigurableListableBeanFactory beans, LockedMethods methods, Locks locks) {
        this.beans = beans;
        this.methods = methods;
        this.locks = locks;
    }

    @Override
    public void afterSingletonsInstantiated() {
        if (!isLazy(LockClient.class) && !isLazy(LeaseClient.class)) {
            methods.all().forEach(locks::check);
        }
        for (String name : beans.getBeanDefinitionNames()) {
            Object bean = beans.getSingleton(name);
            if (bean != null && !isGuarded(bean) && methods.has(AopUtils.getTargetClass(bean))) {
                LOG.warn(
                        "The @Locked methods of bean {} ({}) are NOT guarded: it has no proxy, because it was made before"
                                + " proxies could be (a BeanPostProcessor needs it), or was put there as it is",
                        name,
                        AopUtils.getTargetClass(bean).getName());
            }
        }
    }

    private boolean isLazy(Class<?> type) {
        return Arrays.stream(beans.getBeanNamesForType(type, true, false))
                .anyMatch(name -> beans.containsBeanDefinition(name)
                        && beans.getBeanDefinition(name).isLazyInit());
    }

    private static boolean isGuarded(Object bean) {
        return bean instanceof Advised proxy
                && Arrays.stream(proxy.getAdvisors())
                        .anyMatch(advisor -> advisor.getAdvice() instanceof LockedInterceptor);
    }
}
