/** For tests of guarded methods. Needs {@code com.tngtech.archunit:archunit}, which users have to add themselves. */
@NullMarked
package io.wellkeeper.spring.testing;

import org.jspecify.annotations.NullMarked;
