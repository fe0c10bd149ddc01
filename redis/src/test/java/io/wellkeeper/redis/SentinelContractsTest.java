package io.wellkeeper.redis;

/** A master chosen by sentinels keeps every contract. */
class SentinelContractsTest extends AllContracts {

    SentinelContractsTest(SentinelServers servers) {
        super(servers);
    }
}
