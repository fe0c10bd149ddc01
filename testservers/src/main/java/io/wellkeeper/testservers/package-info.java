/**
 * Real servers and a faulty network, for tests: servers of ZooKeeper, Redis, PostgreSQL and MariaDB that can be killed and
 * paused, and a proxy that cuts connections. Needs {@code kill(1)} for pausing. Each server ends with the process that
 * started it.
 */
@NullMarked
package io.wellkeeper.testservers;

import org.jspecify.annotations.NullMarked;
