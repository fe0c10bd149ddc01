package io.wellkeeper.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a parameter of type {@code long} of a {@link Locked} method with one name: whatever the caller gives, the method is
 * given the {@linkplain io.wellkeeper.LockHandle#fencingToken() fencing token} of the lock.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.PARAMETER)
public @interface FencingToken {}
