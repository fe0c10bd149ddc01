package io.wellkeeper.redis;

/** A Cluster keeps every contract. */
class ClusterContractsTest extends AllContracts {

    ClusterContractsTest(ClusterServers servers) {
        super(servers);
    }
}
