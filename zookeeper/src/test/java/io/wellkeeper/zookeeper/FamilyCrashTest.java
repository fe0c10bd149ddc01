package io.wellkeeper.zookeeper;

import io.wellkeeper.storekit.FamilyCrashContract;
import io.wellkeeper.testservers.ZooKeeperProcess;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** Processes that die or stand still while they hold something else than the plain lock. */
@Tag("full")
class FamilyCrashTest extends FamilyCrashContract {

    private static ZooKeeperProcess server;

    @BeforeAll
    static void startServer() {
        server = ZooKeeperProcess.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Override
    protected String uri() {
        return "zookeeper://" + server.address();
    }
}
