@NullMarked
package io.wellkeeper.sql;

import org.jspecify.annotations.NullMarked;
