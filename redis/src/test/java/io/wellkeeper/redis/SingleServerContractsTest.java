package io.wellkeeper.redis;

/** One server keeps every contract. */
class SingleServerContractsTest extends AllContracts {

    SingleServerContractsTest(SingleServer servers) {
        super(servers);
    }
}
