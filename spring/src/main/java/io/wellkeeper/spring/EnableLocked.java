package io.wellkeeper.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Import;

/**
 * Switches on {@link Locked} for the beans of an application context. Annotate one {@code @Configuration} class with
 * it. The context needs a bean of type {@link io.wellkeeper.LockClient}, or, for exclusive locks of one name each,
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
@SuppressWarnings("exports") // only Spring uses the registrar
@Target(ElementType.TYPE)
public @interface EnableLocked {

    /** {@return as {@link LockedSettings#order()}} */
    int order() default LockedSettings.DEFAULT_ORDER;

    /** {@return as {@link LockedSettings#inTransaction()}} */
    InTransaction inTransaction() default InTransaction.DEFAULT;

    /**
     * {@return whether proxies are subclasses, also if a bean has interfaces} This applies to all proxies of the
     * context, also to those of transactions.
     */
    boolean proxyTargetClass() default false;
}
