package io.wellkeeper.spring.boot.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;

/**
 * Has the application under test keep its locks in memory, whatever {@code wellkeeper.uri} says and whatever it is connected to: to be
 * given at a test class beside {@code @SpringBootTest}. An {@link io.wellkeeper.testkit.InMemoryServer} and an
 * {@link io.wellkeeper.testkit.InMemoryTicketStore} are beans then, with which a test looks at queues, cuts connections and has
 * sessions expire.
 */
@Documented
@ImportAutoConfiguration(InMemoryLocksAutoConfiguration.class)
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface AutoConfigureInMemoryLocks {}
