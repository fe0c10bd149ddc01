/**
 * Methods of Spring beans that run under a lock. Start at {@link io.wellkeeper.spring.Locked} and
 * {@link io.wellkeeper.spring.EnableLocked}.
 */
@NullMarked
package io.wellkeeper.spring;

import org.jspecify.annotations.NullMarked;
