package io.wellkeeper.redis;

import io.wellkeeper.storekit.FamilyContracts;
import io.wellkeeper.storekit.LockFixture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** What is made of queues keeps every contract over a Cluster. */
@Tag("full")
@ExtendWith(SharedServers.class)
class ClusterFamilyTest extends FamilyContracts {

    private final ClusterServers servers;

    ClusterFamilyTest(ClusterServers servers) {
        this.servers = servers;
    }

    @Override
    protected LockFixture newFixture() {
        return KitFixtures.locks(servers);
    }
}
