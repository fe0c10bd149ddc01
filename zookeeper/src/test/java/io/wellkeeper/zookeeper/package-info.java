@NullMarked
package io.wellkeeper.zookeeper;

import org.jspecify.annotations.NullMarked;
