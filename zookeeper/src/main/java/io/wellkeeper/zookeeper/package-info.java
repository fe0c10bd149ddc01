/**
 * Locks kept in Apache ZooKeeper: {@link io.wellkeeper.zookeeper.ZooKeeperTicketStore} for fair locks and everything
 * else, {@link io.wellkeeper.zookeeper.ZooKeeperLeaseStore} for the simplest lock there is.
 */
@NullMarked
package io.wellkeeper.zookeeper;

import org.jspecify.annotations.NullMarked;
