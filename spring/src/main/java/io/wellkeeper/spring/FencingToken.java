package io.wellkeeper.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a parameter of type {@code long} of a {@link Locked} method with one name. Whatever value the caller passes,
 * the method receives the {@linkplain io.wellkeeper.LockHandle#fencingToken() fencing token} of the lock.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.PARAMETER)
public @interface FencingToken {}
