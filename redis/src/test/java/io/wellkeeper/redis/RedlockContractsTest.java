package io.wellkeeper.redis;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** Locks given by a majority of servers keep every contract but those of order. */
class RedlockContractsTest extends LeaseContracts {

    private final RedlockServers servers;

    RedlockContractsTest(RedlockServers servers) {
        this.servers = servers;
    }

    @Override
    LeaseKit kit() {
        return new LeaseKit(
                servers,
                "redlock",
                "&restartDelay=0s&nodeTimeout=500ms",
                false,
                (uri, connector) -> new RedlockLeaseStore(RedlockOptions.of(uri), connector));
    }

    @Nested
    @Tag("full")
    class Locks extends LockContracts {}
}
