/** Tests of applications of Spring Boot 4 whose locks are kept in memory. */
@NullMarked
package io.wellkeeper.spring.boot.test;

import org.jspecify.annotations.NullMarked;
