package io.wellkeeper.zookeeper;

import static io.wellkeeper.zookeeper.Await.get;
import static io.wellkeeper.zookeeper.Requested.session;
import static io.wellkeeper.zookeeper.Requested.ticket;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.LockNames;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.testservers.ZooKeeperProcess;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A session ends with one transaction, which names all its nodes; no server starts again with one that is too long. */
@Tag("full")
class RoomTest {

    private static final int MORE_THAN_FIT = 1_500;

    private final ZooKeeperProcess server = ZooKeeperProcess.start();
    private final String address = server.address();

    @AfterEach
    void stop() {
        server.close();
    }

    /** Of as many bytes as a name may have, each four of which a path holds as twelve characters. */
    private static String name(int i) {
        String number = "%04d".formatted(i);
        return number + "\uD83D\uDD12".repeat((LockNames.MAX_BYTES - number.length()) / 4);
    }

    private static <T> List<CompletableFuture<T>> all(IntFunction<CompletionStage<T>> ask) {
        List<CompletableFuture<T>> asked = IntStream.range(0, MORE_THAN_FIT)
                .mapToObj(i -> ask.apply(i).toCompletableFuture())
                .toList();
        get(CompletableFuture.allOf(
                asked.stream().map(one -> one.exceptionally(failure -> null)).toArray(CompletableFuture<?>[]::new)));
        return asked;
    }

    @Test
    void take_moreThanTheServersCanEndAtOnce_isRefusedUntilOthersAreGivenBack() {
        ZooKeeperTicketStore store = ZooKeeperTicketStore.of(StoreUri.parse("zookeeper://" + address));
        Session session = session(store);
        List<CompletableFuture<Place>> places = all(i -> session.queue(name(i)).take(ticket()));
        assertSomeAreRefused(places);
        int one = granted(places);
        get(session.queue(name(one)).remove(get(places.get(one)).ticket()));
        get(session.queue(name(MORE_THAN_FIT)).take(ticket()));

        get(session.close());

        server.restart();
        get(session(store).queue("others").take(ticket()));
        store.close();
    }

    @Test
    void tryAcquire_moreThanTheServersCanEndAtOnce_isRefusedUntilOthersAreReleased() {
        ZooKeeperLeaseStore store = ZooKeeperLeaseStore.of(StoreUri.parse("zookeeper-simple://" + address));
        List<CompletableFuture<Optional<Lease>>> leases = all(i -> store.tryAcquire(request(name(i))));
        assertSomeAreRefused(leases);
        get(store.release(get(leases.get(granted(leases))).orElseThrow()));
        assertThat(get(store.tryAcquire(request(name(MORE_THAN_FIT))))).isPresent();

        store.close();

        await().until(() -> server.counters().get("zk_ephemerals_count").equals("0"));
        server.restart();
    }

    private static void assertSomeAreRefused(List<? extends CompletableFuture<?>> asked) {
        assertThat(asked)
                .filteredOn(CompletableFuture::isCompletedExceptionally)
                .isNotEmpty()
                .allSatisfy(one -> assertThat(Await.failure(one)).isExactlyInstanceOf(LockStoreException.class));
    }

    /** One that was given. */
    private static int granted(List<? extends CompletableFuture<?>> asked) {
        return IntStream.range(0, asked.size())
                .filter(i -> !asked.get(i).isCompletedExceptionally())
                .findFirst()
                .orElseThrow();
    }

    private static LeaseRequest request(String name) {
        return new LeaseRequest(name, name, Duration.ofSeconds(20), "somebody");
    }
}
