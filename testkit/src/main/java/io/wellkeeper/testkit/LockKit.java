package io.wellkeeper.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockOptions;
import io.wellkeeper.SimpleLockClient;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;

/** One fixture for each test, clients and threads that are closed after it, and the check that nothing is left. */
abstract class LockKit {

    /** A name that no other test uses. */
    final String name = "kit-" + UUID.randomUUID();

    LockFixture fixture;

    private final List<Client> clients = new ArrayList<>();
    private final List<Actor> actors = new ArrayList<>();

    @RegisterExtension
    final NoLeftovers noLeftovers = NoLeftovers.of(this::leftovers).thenClose(() -> fixture);

    /** The store under test, on a server that the test may break. Closed after the test. */
    protected abstract LockFixture newFixture() throws Exception;

    /** One process, and what its listener was told. */
    record Client(SimpleLockClient client, Events events) {

        DistributedLock lock(String name) {
            return client.lock(name);
        }

        /** Has a thread wait for a lock that is taken; returns when it stands in the queue. */
        Future<@Nullable Void> queueUp(Actor actor, String name) {
            return queueUp(actor, name, () -> lock(name).lock());
        }

        Future<@Nullable Void> queueUp(Actor actor, String name, Actor.Action waiting) {
            int before = events.count("contended " + name);
            Future<@Nullable Void> acquired = actor.begin(waiting);
            events.await("contended " + name, before + 1);
            return acquired;
        }
    }

    @BeforeEach
    void makeFixture() throws Exception {
        fixture = newFixture();
    }

    @AfterEach
    void closeClients() {
        clients.forEach(client -> client.client().close());
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

    /** A client whose session ends soon when it cannot reach the store. */
    Client mortalClient() throws Exception {
        return client(options().sessionTimeout(fixture.shortTimeout()));
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
        Actor actor = new Actor();
        actors.add(actor);
        return actor;
    }

    /** Somebody else's process holds the lock; the thread is there to release it. */
    Actor holder(Client client, String lock) {
        Actor actor = actor();
        actor.run(() -> client.lock(lock).lock());
        return actor;
    }

    void release(Actor holder, Client client, String lock) {
        holder.run(() -> client.lock(lock).unlock());
    }

    /** The lock can be acquired by a newcomer: whatever happened before, nobody is in its way. */
    void assertComesFree(String lock) throws Exception {
        Client newcomer = client(LockOptions.builder().awaitRelease(true).build());
        Actor actor = actor();
        actor.run(() -> newcomer.lock(lock).lock());
        assertThat(actor.call(() -> newcomer.lock(lock).isHeldByCurrentThread()))
                .isTrue();
        actor.run(() -> newcomer.lock(lock).unlock());
    }
}
