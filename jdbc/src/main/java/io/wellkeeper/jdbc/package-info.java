/** Wellkeeper locks kept in SQL databases. */
@NullMarked
package io.wellkeeper.jdbc;

import org.jspecify.annotations.NullMarked;
