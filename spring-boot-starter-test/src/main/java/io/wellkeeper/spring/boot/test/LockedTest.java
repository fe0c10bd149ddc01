package io.wellkeeper.spring.boot.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.autoconfigure.OverrideAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTestContextBootstrapper;
import org.springframework.boot.test.context.filter.annotation.TypeExcludeFilters;
import org.springframework.test.context.BootstrapWith;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/**
 * A test of guarded methods alone. It has a client whose locks are kept in memory ({@link AutoConfigureInMemoryLocks}),
 * and {@link io.wellkeeper.spring.Locked} is switched on. Of the application it has only the beans that the test
 * imports.
 *
 * <pre>{@code
 * @LockedTest
 * @Import(Shipping.class)
 * class ShippingTest {
 *
 *     @Autowired Shipping shipping;
 *     @Autowired InMemoryServer locks;
 *     ..
 * }
 * }</pre>
 */
@AutoConfigureInMemoryLocks
@BootstrapWith(SpringBootTestContextBootstrapper.class)
@Documented
@ExtendWith(SpringExtension.class)
@ImportAutoConfiguration
@Inherited
@OverrideAutoConfiguration(enabled = false)
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@TypeExcludeFilters(LockedTypeExcludeFilter.class)
public @interface LockedTest {}
