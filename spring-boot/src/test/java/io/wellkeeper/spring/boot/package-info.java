@NullMarked
package io.wellkeeper.spring.boot;

import org.jspecify.annotations.NullMarked;
