/**
 * Real processes and a faulty network, for tests: a JVM that can be killed and paused, ZooKeeper servers made of such
 * JVMs, and a proxy that cuts connections. Needs {@code kill(1)} for pausing; whatever is started ends with the process
 * that started it.
 */
@NullMarked
package io.wellkeeper.testkit.process;

import org.jspecify.annotations.NullMarked;
