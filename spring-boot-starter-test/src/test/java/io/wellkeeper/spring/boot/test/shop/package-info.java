@NullMarked
package io.wellkeeper.spring.boot.test.shop;

import org.jspecify.annotations.NullMarked;
