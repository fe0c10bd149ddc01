/**
 * Wellkeeper locks kept in Apache ZooKeeper.
 *
 * <p>ZooKeeper's jars share packages among themselves, so they cannot be modules: they stay on the class path, and a
 * program that puts this module on the module path starts with {@code --add-reads
 * io.wellkeeper.zookeeper=ALL-UNNAMED}.
 */
module io.wellkeeper.zookeeper {
    requires transitive io.wellkeeper;
    requires transitive static org.jspecify;
    requires org.slf4j;

    exports io.wellkeeper.zookeeper;

    provides io.wellkeeper.spi.StoreProvider with
            io.wellkeeper.zookeeper.ZooKeeperTicketStoreProvider;
    provides io.wellkeeper.spi.LeaseStoreProvider with
            io.wellkeeper.zookeeper.ZooKeeperLeaseStoreProvider;
}
