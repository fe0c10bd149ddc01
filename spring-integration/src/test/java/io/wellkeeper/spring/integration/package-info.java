/** Spring Integration's lock registry and leader election over Wellkeeper's locks. */
@NullMarked
package io.wellkeeper.spring.integration;

import org.jspecify.annotations.NullMarked;
