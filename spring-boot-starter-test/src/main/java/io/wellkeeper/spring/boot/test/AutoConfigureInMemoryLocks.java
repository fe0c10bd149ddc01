package io.wellkeeper.spring.boot.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;

/**
 * Makes the application under test keep its locks in memory, whatever {@code wellkeeper.uri} says and whatever stores
 * it is connected to. Annotate a test class with it, beside {@code @SpringBootTest}. The beans {@link
 * io.wellkeeper.testkit.InMemoryServer} and {@link io.wellkeeper.testkit.InMemoryTicketStore} then let a test look at
 * queues, cut connections and make sessions expire.
 */
@Documented
@ImportAutoConfiguration(InMemoryLocksAutoConfiguration.class)
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface AutoConfigureInMemoryLocks {}
