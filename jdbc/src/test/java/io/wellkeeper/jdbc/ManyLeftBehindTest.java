package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.testservers.TcpProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A client dies that had very many locks. Whoever clears them away keeps his own, and need not wait for that. */
@Tag("full")
class ManyLeftBehindTest {

    private static final Duration SESSION = Duration.ofSeconds(2);
    private static final Duration DELAY = Duration.ofMillis(2); // each way
    private static final int LOCKS = 600; // each takes a round trip at least to be cleared away
    private static final int SECONDS = 120;

    private final String prefix = RealDatabase.prefix();

    private String uri(RealDatabase database, int port) {
        return database.uri("jdbc:", port) + "&prefix=" + prefix;
    }

    @ParameterizedTest
    @CsvSource({
        "POSTGRESQL, clock_timestamp() - interval '1 hour', extract(epoch FROM expires) * 1000",
        "MARIADB, UTC_TIMESTAMP(6) - INTERVAL 1 HOUR, unix_timestamp(expires) * 1000"
    })
    void lock_anotherHasLeftManyLocks_isHadAtOnceAndOthersAreKept(RealDatabase database, String past, String millis)
            throws Exception {
        try (TcpProxy dying = TcpProxy.of(database.port());
                TcpProxy slow = TcpProxy.of(database.port());
                SqlTicketStore store = SqlTicketStore.of(StoreUri.parse(uri(database, dying.port())));
                LockClient client = LockClient.connect(
                        uri(database, slow.port()),
                        ClientOptions.builder().sessionTimeout(SESSION).build());
                LockHandle kept = client.lock("kept").acquire()) {
            Session dead = Sessions.open(store, Duration.ofMinutes(10));
            List<CompletionStage<Place>> places = new ArrayList<>();
            for (int i = 0; i < LOCKS; i++) {
                places.add(dead.queue("left/" + i).take(Sessions.request("r" + i)));
            }
            for (CompletionStage<Place> place : places) {
                place.toCompletableFuture().get(SECONDS, TimeUnit.SECONDS);
            }
            dying.refuse(true);
            dying.cut();
            slow.delay(DELAY);
            String left = "SELECT count(*) FROM " + prefix + "ticket WHERE session = '" + dead.id() + "'";
            String expiry = "SELECT " + millis + " FROM " + prefix + "session s JOIN " + prefix
                    + "ticket t ON t.session = s.id WHERE t.name = 'kept'";
            database.execute("UPDATE " + prefix + "session SET expires = " + past + " WHERE id = '" + dead.id() + "'");

            CompletableFuture<Long> whenHad = client.lock("left/7")
                    .acquireAsync()
                    .thenApply(handle -> {
                        long stillLeft = database.number(left);
                        handle.close();
                        return stillLeft;
                    });

            assertThat(whenHad.get(SECONDS, TimeUnit.SECONDS)).isPositive();
            long before = database.number(expiry);
            await().atMost(Duration.ofSeconds(SECONDS))
                    .until(() -> !kept.isHeld() || database.number(expiry) > before + SESSION.toMillis());
            kept.checkHeld();
        }
    }
}
