/** Wellkeeper locks kept in SQL databases. */
@NullMarked
package io.wellkeeper.sql;

import org.jspecify.annotations.NullMarked;
