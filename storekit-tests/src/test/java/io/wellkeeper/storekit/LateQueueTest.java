package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedSemaphore;
import io.wellkeeper.LockClient;
import io.wellkeeper.Permits;
import io.wellkeeper.Registration;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketStore;
import io.wellkeeper.testkit.ForwardingTicketStore;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import io.wellkeeper.testkit.SimulatedTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The queue that the store shows comes when more is known of it by other ways. */
class LateQueueTest {

    private static final String NAME = "shown-late";
    private static final Duration A_WHILE = Duration.ofSeconds(3);

    private final SimulatedTime time = new SimulatedTime();
    private final InMemoryServer server = new InMemoryServer(time);
    private CompletableFuture<Void> showing = CompletableFuture.completedFuture(null); // before it no answer comes
    private CompletableFuture<Void> reading = CompletableFuture.completedFuture(null); // before it no notice is shown
    private CompletableFuture<Void> telling =
            CompletableFuture.completedFuture(null); // before it no word of a notice comes

    @AfterEach
    void close() {
        server.close();
    }

    /** Who is let in by an answer that shows a ticket which was replaced meanwhile is not alone: the milder one stays. */
    @Test
    void acquire_someMoreIsReleasedWhileTheQueueIsRead_permitsThatAreKeptAreCounted() {
        DistributedSemaphore semaphore = client(new Late()).semaphore(NAME, 3);
        Permits three = time.call(() -> semaphore.tryAcquire(3)).orElseThrow();
        CompletableFuture<Permits> one = semaphore.acquireAsync(1);
        CompletableFuture<Permits> two = semaphore.acquireAsync(2);
        time.advance(A_WHILE);

        showing = new CompletableFuture<>();
        three.release(1);
        time.runUntilIdle();
        three.release(1);
        time.runUntilIdle();
        showing.complete(null);
        time.advance(A_WHILE);

        assertThat(one.isDone()).isTrue();
        assertThat(two.isDone()).as("two permits more, of which one is left").isFalse();
        three.release(1);
        time.advance(A_WHILE);
        assertThat(two.isDone()).isTrue();
    }

    /** An answer that was given before the number of permits was changed does not say who is let in after that. */
    @Test
    void acquire_fewerPermitsWhileTheQueueIsRead_departuresAreJudgedByThese() {
        LockClient holding = client(new InMemoryTicketStore(server));
        DistributedSemaphore semaphore = holding.semaphore(NAME, 3);
        List<Permits> held = three(semaphore);
        CompletableFuture<Permits> next = client(new Late()).semaphore(NAME, 3).acquireAsync(1);
        time.advance(A_WHILE);

        CompletableFuture<Void> first = new CompletableFuture<>();
        CompletableFuture<Void> second = new CompletableFuture<>();
        showing = first;
        server.wakeForNothing();
        time.runUntilIdle();
        resize(semaphore);
        time.runUntilIdle();
        showing = second;
        first.complete(null);
        held.get(0).close();
        time.runUntilIdle();
        assertThat(next.isDone()).as("one permit, of which two are held").isFalse();

        second.complete(null);
        held.get(1).close();
        time.advance(A_WHILE);
        assertThat(next.isDone()).as("one permit, which is held").isFalse();
        held.get(2).close();
        time.advance(A_WHILE);
        assertThat(next.isDone()).isTrue();
    }

    /** What a client gives back itself it knows before the store has told it that the number of permits was changed. */
    @Test
    void acquire_fewerPermitsByTheClientThatGivesOneBack_isJudgedByThese() {
        DistributedSemaphore semaphore = client(new Late()).semaphore(NAME, 3);
        List<Permits> held = three(semaphore);
        CompletableFuture<Permits> next = semaphore.acquireAsync(1);
        time.runUntilIdle();

        telling = new CompletableFuture<>();
        resize(semaphore);
        assertWaitsForAll(held, next);
    }

    @Test
    void acquire_fewerPermitsByTheClientThatJustReadsTheQueue_isJudgedByThese() {
        resizeWhileAnAnswerComes(now -> showing = now);
    }

    @Test
    void acquire_fewerPermitsByTheClientThatJustReadsTheNotice_isJudgedByThese() {
        resizeWhileAnAnswerComes(now -> reading = now);
    }

    /** @param answers has answers come no sooner than something else */
    private void resizeWhileAnAnswerComes(Consumer<CompletableFuture<Void>> answers) {
        DistributedSemaphore semaphore = client(new Late()).semaphore(NAME, 3);
        List<Permits> held = three(semaphore);
        CompletableFuture<Permits> next = semaphore.acquireAsync(1);
        time.runUntilIdle();
        CompletableFuture<Void> before = new CompletableFuture<>();
        answers.accept(before);
        server.wakeForNothing();
        time.runUntilIdle();

        answers.accept(CompletableFuture.completedFuture(null));
        telling = new CompletableFuture<>();
        resize(semaphore);
        before.complete(null);
        assertWaitsForAll(held, next);
    }

    @Test
    void acquire_fewerPermitsByAnotherClientAndThoseOfTheHoldersBroken_isJudgedByThese() {
        DistributedSemaphore others = client(new InMemoryTicketStore(server)).semaphore(NAME, 3);
        three(others);
        LockClient client = client(new Late());
        List<CompletableFuture<Permits>> next = IntStream.range(0, 2)
                .mapToObj(i -> client.semaphore(NAME, 3).acquireAsync(1))
                .toList();
        time.runUntilIdle();

        telling = new CompletableFuture<>();
        resize(others);
        time.call(() -> client.admin().breakLock(NAME, "to see who is next"));
        time.runUntilIdle();
        assertThat(next).as("one permit").filteredOn(CompletableFuture::isDone).hasSize(1);
    }

    private List<Permits> three(DistributedSemaphore semaphore) {
        return IntStream.range(0, 3)
                .mapToObj(i -> time.call(() -> semaphore.tryAcquire(1)).orElseThrow())
                .toList();
    }

    private void resize(DistributedSemaphore semaphore) {
        time.call(() -> {
            semaphore.resize(1);
            return semaphore;
        });
    }

    private void assertWaitsForAll(List<Permits> held, CompletableFuture<Permits> next) {
        for (Permits one : held) {
            time.runUntilIdle();
            assertThat(next.isDone()).as("one permit, which is held").isFalse();
            one.close();
        }
        time.runUntilIdle();
        assertThat(next.isDone()).isTrue();
    }

    private LockClient client(TicketStore store) {
        return LockClient.over(
                store,
                ClientOptions.builder()
                        .time(time)
                        .callbackExecutor(time.executor())
                        .build());
    }

    private final class Late extends ForwardingTicketStore {

        Late() {
            super(new InMemoryTicketStore(server));
        }

        @Override
        protected TicketQueue queue(TicketQueue sound, String name) {
            return new ForwardingQueue(sound) {
                @Override
                public CompletionStage<List<Ticket>> tickets() {
                    CompletionStage<List<Ticket>> shown = super.tickets();
                    return showing.thenCompose(now -> shown);
                }

                @Override
                public CompletionStage<Notice> notice() {
                    CompletionStage<Notice> shown = super.notice();
                    return reading.thenCompose(now -> shown);
                }

                @Override
                public Registration onNotice(Runnable changed) {
                    return super.onNotice(() -> telling.thenRun(changed));
                }
            };
        }
    }
}
