package io.wellkeeper.spring.boot;

import io.wellkeeper.LockSource;
import java.util.concurrent.Executor;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.scheduling.TaskScheduler;

/**
 * Makes Spring destroy executors and schedulers before the client of locks, although they do not depend on it. Some of
 * them wait for their tasks while they are destroyed, and the tasks may hold locks.
 */
final class ExecutorsEndFirst implements SmartInitializingSingleton {

    private final ListableBeanFactory beans;
    private final ConfigurableBeanFactory order;

    <B extends ListableBeanFactory & ConfigurableBeanFactory> ExecutorsEndFirst(B beans) {
        this.beans = beans;
        this.order = beans;
    }

    @Override
    public void afterSingletonsInstantiated() {
        for (String client : beans.getBeanNamesForType(LockSource.class, false, false)) {
            for (Class<?> kind : new Class<?>[] {Executor.class, TaskScheduler.class}) {
                for (String executor : beans.getBeanNamesForType(kind, false, false)) {
                    order.registerDependentBean(client, executor);
                }
            }
        }
    }
}
