/** What users test their guarded methods with. Needs {@code com.tngtech.archunit:archunit}, which is theirs to add. */
@NullMarked
package io.wellkeeper.spring.testing;

import org.jspecify.annotations.NullMarked;
