@NullMarked
package io.wellkeeper.spring;

import org.jspecify.annotations.NullMarked;
