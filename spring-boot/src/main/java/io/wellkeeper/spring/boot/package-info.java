/**
 * Wellkeeper in applications of Spring Boot 4: a {@link io.wellkeeper.LockClient} that is configured by {@code wellkeeper.*}, or that
 * uses the store to which the application is connected already; its health indicator, its endpoint, and its shutdown.
 */
@NullMarked
package io.wellkeeper.spring.boot;

import org.jspecify.annotations.NullMarked;
