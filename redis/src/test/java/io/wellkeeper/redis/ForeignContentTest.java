package io.wellkeeper.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.testservers.RedisProcess;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What another program, or an operator's slip, has put into a queue stands in nobody's way. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ForeignContentTest {

    private final RedisProcess server = RedisProcess.start();
    private final Keys.Partition keys =
            new Keys("wellkeeper", Keys.SINGLE, false).partitions().get(0);
    private final LockClient client = LockClient.connect(
            "redis://" + server.address() + "?restartGuard=off",
            ClientOptions.builder().sessionTimeout(Duration.ofSeconds(4)).build());

    @AfterEach
    void close() {
        client.close();
        server.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"typo", "a:b", "17:nobody", "0123456789abc:17:r:0:E:1", "17:0123456789abc:r:0:E"})
    void acquire_queueHasAMemberThatIsNoTicket_isNotHeldUpAndTheMemberGoes(String member) throws Exception {
        server.call("ZADD", keys.queue("l"), "1", member);

        client.lock("l").acquire().close();

        await().until(() -> Long.valueOf(0).equals(server.call("EXISTS", keys.queue("l"))));
    }

    @ParameterizedTest
    @ValueSource(strings = {"17:%s", "x:%s:r:0:E:1", "17:%s:r:0:E"})
    void acquire_queueHasAMemberThatNamesALivingSession_isNotHeldUp(String member) throws Exception {
        List<?> sessions = (List<?>) server.call("ZRANGE", keys.sessions(), "0", "-1");
        server.call("ZADD", keys.queue("l"), "1", member.formatted(sessions == null ? "" : sessions.get(0)));

        try (LockHandle held = client.lock("l").acquire()) {
            assertThat(client.admin().inspect("l").holders()).hasSize(1);
            held.checkHeld();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ZADD %s 9e15 typo", "SET %s typo"})
    void holder_queueOfAnotherLockIsBroken_isToldOfItsLossAllTheSame(String command) throws Exception {
        client.lock("broken").acquire();
        LockHandle held = client.lock("held").acquire();
        CompletableFuture<Void> told = new CompletableFuture<>();
        held.onLost(() -> told.complete(null));

        server.call(command.formatted(keys.queue("broken")).split(" "));
        server.call("DEL", keys.queue("held"));

        told.get(30, TimeUnit.SECONDS);
    }
}
