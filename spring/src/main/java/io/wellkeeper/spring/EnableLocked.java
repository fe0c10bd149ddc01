package io.wellkeeper.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Import;

/**
 * Switches on {@link Locked} for the beans of an application context. To be given at one {@code @Configuration} class; the
 * context needs a bean of type {@link io.wellkeeper.LockClient}, or, for exclusive locks of one name each,
 * {@link io.wellkeeper.LeaseClient}.
 *
 * <pre>{@code
 * @Configuration
 * @EnableLocked
 * class Locks {
 *     @Bean
 *     LockClient lockClient() {
 *         return LockClient.connect("redis://redis:6379");
 *     }
 * }
 * }</pre>
 */
@Documented
@Import({LockedSettingsRegistrar.class, LockedConfiguration.class})
@Retention(RetentionPolicy.RUNTIME)
@SuppressWarnings("exports") // the registrar is Spring's to find
@Target(ElementType.TYPE)
public @interface EnableLocked {

    /** {@return as {@link LockedSettings#order()}} */
    int order() default LockedSettings.DEFAULT_ORDER;

    /** {@return as {@link LockedSettings#inTransaction()}} */
    InTransaction inTransaction() default InTransaction.DEFAULT;

    /**
     * {@return whether proxies are made of classes, also where a bean has interfaces} It holds for all proxies of the context, those
     * of transactions too.
     */
    boolean proxyTargetClass() default false;
}
