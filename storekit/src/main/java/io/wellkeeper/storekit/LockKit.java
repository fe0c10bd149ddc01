package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockOptions;
import io.wellkeeper.LockSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Gives each test a fixture, closes its clients and threads afterwards, and checks that nothing is left. */
abstract class LockKit {

    /** A short time, but long enough to connect on a slow machine. */
    static final Duration IMPATIENCE = Duration.ofSeconds(2);

    /** A session timeout that survives a pause of a busy machine, but is short enough for frequent heartbeats. */
    static final Duration WATCHFUL = Duration.ofSeconds(4);

    /** A name that no other test uses. */
    final String name = "kit-" + UUID.randomUUID();

    LockFixture fixture;

    private final List<Client> clients = new ArrayList<>();
    private final List<Actor> actors = new ArrayList<>();

    @RegisterExtension
    final NoLeftovers noLeftovers = NoLeftovers.of(this::leftovers).thenClose(() -> fixture);

    /**
     * Makes the fixture of one test.
     *
     * @return the store under test, on a server that the test may break; closed after the test
     * @throws Exception if the store cannot be used
     */
    protected abstract LockFixture newFixture() throws Exception;

    /** The client of one process, and the events that its listener was told. */
    record Client(LockSource client, Events events) {

        DistributedLock lock(String name) {
            return client.lock(name);
        }

        /** The client, if its store has queues; over any other store the test is skipped. */
        LockClient queues() {
            Assumptions.assumeTrue(client instanceof LockClient, "this store keeps no queue");
            return (LockClient) client;
        }

        /** Lets a thread wait for a held lock; returns when the thread is in the queue. */
        Future<@Nullable Void> queueUp(Actor actor, String name) {
            return queueUp(actor, name, () -> lock(name).lock());
        }

        Future<@Nullable Void> queueUp(Actor actor, String name, Actor.Action waiting) {
            int before = events.count("contended " + name);
            Future<@Nullable Void> acquired = actor.begin(waiting);
            events.await("contended " + name, before + 1);
            return acquired;
        }

        /**
         * The same for a wait that is so short that its timeout may be over, on a busy machine, before it is in the
         * queue.
         */
        Future<@Nullable Void> queueUpBriefly(Actor actor, String name, Actor.Action waiting) {
            Future<@Nullable Void> givenUp = actor.begin(waiting);
            events.awaitAny("contended " + name, "gaveUp " + name + " TIMED_OUT");
            return givenUp;
        }
    }

    @BeforeEach
    void makeFixture() throws Exception {
        fixture = newFixture();
    }

    @AfterEach
    void closeClients() {
        List<Future<@Nullable Void>> closing = clients.stream()
                .map(client -> actor().begin(client.client()::close))
                .toList();
        closing.forEach(Await::result);
        actors.forEach(Actor::close);
    }

    private List<String> leftovers() {
        try {
            return fixture.leftovers();
        } catch (Exception failure) {
            throw new AssertionError("cannot see what is left", failure);
        }
    }

    ClientOptions.Builder options() {
        return ClientOptions.builder().sessionTimeout(fixture.longTimeout());
    }

    Client client() throws Exception {
        return client(options());
    }

    /** A client whose session ends soon if the client cannot reach the store. */
    Client mortalClient() throws Exception {
        return client(options().sessionTimeout(fixture.shortTimeout()));
    }

    /** A client that waits for a silent store no longer than {@link #IMPATIENCE}. */
    Client impatientClient() throws Exception {
        return client(options().storeTimeout(IMPATIENCE));
    }

    /** A client that soon notices what others do to its tickets, and whose session survives a pause of the machine. */
    Client watchfulClient() throws Exception {
        return watchfulClient("");
    }

    Client watchfulClient(String clientName) throws Exception {
        return client(options().clientName(clientName).sessionTimeout(WATCHFUL));
    }

    Client client(LockOptions locks) throws Exception {
        return client(options().lockDefaults(locks));
    }

    Client client(ClientOptions.Builder options) throws Exception {
        Events events = new Events();
        Client client = new Client(fixture.newClient(options.listener(events).build()), events);
        clients.add(client);
        return client;
    }

    Actor actor() {
        return actor("test-actor");
    }

    Actor actor(String threadName) {
        Actor actor = new Actor(threadName);
        actors.add(actor);
        return actor;
    }

    /** A thread that holds the lock when this returns. */
    Visitor enter(DistributedLock lock) {
        Actor actor = actor();
        Visitor visitor = new Visitor(actor, lock, actor.begin(lock::lock));
        visitor.awaitIn();
        return visitor;
    }

    /** A thread of this client that finds the lock held, and is in its queue when this returns. */
    Visitor queueUp(Client client, DistributedLock lock) {
        Actor actor = actor();
        return new Visitor(actor, lock, client.queueUp(actor, lock.name(), lock::lock));
    }

    /** Lets a client of another process acquire the lock; returns the thread that can release it. */
    Actor holder(Client client, String lock) {
        Actor actor = actor();
        actor.run(() -> client.lock(lock).lock());
        return actor;
    }

    void release(Actor holder, Client client, String lock) {
        holder.run(() -> client.lock(lock).unlock());
    }

    /** Asserts that a wait was ended by an interrupt. */
    static void assertInterrupted(Future<?> waiting) {
        assertThat(waiting)
                .failsWithin(Await.patience())
                .withThrowableThat()
                .withCauseInstanceOf(InterruptedException.class);
    }

    /** All ways in which a user may complete a future. */
    private static final Map<String, Consumer<CompletableFuture<?>>> ENDS = Map.of(
            "cancel", future -> future.cancel(false),
            "complete", future -> future.complete(null),
            "completeExceptionally", future -> future.completeExceptionally(new IllegalStateException("not wanted")),
            "orTimeout", future -> future.orTimeout(0, TimeUnit.SECONDS));

    /**
     * Lets a user complete the future of an acquisition that was granted, before the callback executor completes it.
     * Does so in all ways, each with a client of its own.
     */
    void completeBeforeHandOver(Function<Client, CompletableFuture<?>> acquisition) throws Exception {
        for (Map.Entry<String, Consumer<CompletableFuture<?>>> end : ENDS.entrySet()) {
            Queue<Runnable> callbacks = new ConcurrentLinkedQueue<>();
            ClientOptions withoutListener =
                    options().callbackExecutor(callbacks::add).build();
            Client client = new Client(fixture.newClient(withoutListener), new Events());
            clients.add(client);
            CompletableFuture<?> future = acquisition.apply(client);
            Await.until("hand-over", () -> !callbacks.isEmpty());

            end.getValue().accept(future);
            Await.until(end.getKey(), future::isDone);

            callbacks.forEach(Runnable::run);
        }
    }

    /** Asserts that a new client can acquire the lock, whatever happened before. */
    void assertComesFree(String lock) throws Exception {
        Client newcomer = client(LockOptions.builder().awaitRelease(true).build());
        Actor actor = actor();
        actor.run(() -> newcomer.lock(lock).lock());
        assertThat(actor.call(() -> newcomer.lock(lock).isHeldByCurrentThread()))
                .isTrue();
        actor.run(() -> newcomer.lock(lock).unlock());
    }
}
