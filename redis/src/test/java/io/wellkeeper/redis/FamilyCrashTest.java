package io.wellkeeper.redis;

import io.wellkeeper.storekit.FamilyCrashContract;
import io.wellkeeper.testservers.RedisProcess;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** Processes that die or stand still while they hold something else than the plain lock. */
@Tag("full")
class FamilyCrashTest extends FamilyCrashContract {

    private static RedisProcess server;

    @BeforeAll
    static void startServer() {
        server = RedisProcess.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Override
    protected String uri() {
        return "redis://" + server.address() + "?restartGuard=off";
    }
}
