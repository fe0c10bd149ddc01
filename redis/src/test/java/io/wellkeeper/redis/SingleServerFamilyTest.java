package io.wellkeeper.redis;

import io.wellkeeper.storekit.FamilyContracts;
import io.wellkeeper.storekit.LockFixture;
import org.junit.jupiter.api.extension.ExtendWith;

/** What is made of queues keeps every contract over one server. */
@ExtendWith(SharedServers.class)
class SingleServerFamilyTest extends FamilyContracts {

    private final SingleServer servers;

    SingleServerFamilyTest(SingleServer servers) {
        this.servers = servers;
    }

    @Override
    protected LockFixture newFixture() {
        return KitFixtures.locks(servers);
    }
}
