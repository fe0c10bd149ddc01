package io.wellkeeper.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.LockClient;
import io.wellkeeper.testservers.RedisProcess;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A sentinel that has been cut off from the others names a master that has been replaced. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StaleAnswerTest {

    private final RedisProcess former = RedisProcess.start();
    private final RedisProcess master = RedisProcess.start();
    private final List<FaultProxy> sentinels =
            Stream.generate(() -> new FaultProxy(former.port())).limit(3).toList();

    @AfterEach
    void close() {
        sentinels.forEach(FaultProxy::close);
        former.close();
        master.close();
    }

    private LockClient client() {
        String all =
                String.join(",", sentinels.stream().map(FaultProxy::address).toList());
        return LockClient.connect("redis-sentinel://" + all + "/main?restartGuard=off");
    }

    /** Has a sentinel say which server is the master. */
    private static void name(RedisProcess server, FaultProxy sentinel) {
        String where = FaultProxy.answer("127.0.0.1", Integer.toString(server.port()));
        sentinel.rule(words -> words.get(0).equalsIgnoreCase("SENTINEL") ? where : FaultProxy.FORWARD);
    }

    @Test
    void connect_oneOfThreeSentinelsNamesTheFormerMaster_goesToTheOneThatMostName() throws Exception {
        sentinels.forEach(sentinel -> name(master, sentinel));
        client().close(); // the first takes longer
        name(former, sentinels.get(0));
        for (int i = 0; i < 20; i++) { // each time another answers first
            try (LockClient client = client()) {
                client.lock("l").acquire().close();
            }
        }

        assertThat(former.calls("evalsha") + former.calls("eval")).isZero();
    }
}
