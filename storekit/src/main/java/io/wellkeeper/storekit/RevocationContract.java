package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockLostException;
import io.wellkeeper.LockOptions;
import io.wellkeeper.Permits;
import io.wellkeeper.Registration;
import io.wellkeeper.RevocationListener;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** {@link io.wellkeeper.LockAdmin#requestRevocation}: the holders are asked to release, and decide themselves. */
abstract class RevocationContract extends LockKit {

    private static final int MANY = 400;

    private final List<String> told = new CopyOnWriteArrayList<>();

    private RevocationListener note(String listener) {
        return (who, reason) -> told.add(listener + ": " + who + " says " + reason);
    }

    private void awaitTold(int times) {
        Await.until(() -> times + " times told: " + told, () -> told.size() >= times);
    }

    private Client asking() throws Exception {
        return client(options().clientName("asking"));
    }

    @Test
    void requestRevocation_nobodyHolds_asksNobody() throws Exception {
        Client asking = asking();

        assertThat(asking.queues().admin().requestRevocation(name, "why")).isZero();

        assertThat(asking.queues().admin().names(name)).isEmpty();
    }

    @Test
    void requestRevocation_badNameOrReason_isRefused() throws Exception {
        Client asking = asking();
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> asking.queues().admin().requestRevocation("", "why"));
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> asking.queues().admin().requestRevocation(name, "x".repeat(1025)));
    }

    @Test
    void requestRevocation_holderListens_isToldOnceWhoAndWhy() throws Exception {
        Client asking = asking();
        LockHandle handle = client().lock(name).acquire();
        handle.onRevocationRequested(note("handle"));
        String longest = "\u00e9=;\n%".repeat(1024).substring(0, 1024);

        assertThat(asking.queues().admin().requestRevocation(name, "first")).isEqualTo(1);
        awaitTold(1);
        assertThat(asking.queues().admin().requestRevocation(name, longest)).isEqualTo(1);
        awaitTold(2);

        assertThat(handle.isHeld()).isTrue();
        handle.close();
        assertThat(told).containsExactly("handle: asking says first", "handle: asking says " + longest);
    }

    @Test
    void requestRevocation_byThread_isToldToWhatTheThreadHolds() throws Exception {
        Client asking = asking();
        Client client = client();
        DistributedLock lock = client.lock(name);
        assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(() -> lock.onRevocationRequested(note("nobody")))
                .isNotInstanceOf(LockLostException.class);
        lock.lock();
        lock.lock();
        lock.onRevocationRequested(note("thread"));
        lock.unlock();

        asking.queues().admin().requestRevocation(name, "why");

        awaitTold(1);
        lock.checkHeld();
        lock.unlock();
        assertThat(told).containsExactly("thread: asking says why");
    }

    @Test
    void onRevocationRequested_lockIsLost_isRefused() throws Exception {
        Client client = client();
        DistributedLock lock = client.lock(name);
        client.queues();
        lock.lock();
        fixture.lose(client.client());
        Await.until("loss of the lock", () -> !lock.isHeldByCurrentThread());

        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> lock.onRevocationRequested(note("nobody")));
        assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
    }

    @Test
    void requestRevocation_listenerReleases_nextIsLetIn() throws Exception {
        Client asking = asking();
        LockHandle handle = client().lock(name).acquire();
        handle.onRevocationRequested((who, reason) -> handle.close());
        Visitor waiter = queueUp(asking, asking.lock(name));

        asking.queues().admin().requestRevocation(name, "we are in a hurry");

        waiter.visit();
        assertThat(handle.isHeld()).isFalse();
    }

    @Test
    void requestRevocation_manyListenersOfOneHold_allAreTold() throws Exception {
        Client asking = asking();
        LockHandle handle = client().lock(name).acquire();
        handle.onRevocationRequested((who, reason) -> {
            told.add("throwing");
            throw new IllegalStateException("a listener that throws");
        });
        handle.onRevocationRequested(note("second"));
        Registration takenBack = handle.onRevocationRequested(note("taken back"));
        takenBack.close();
        takenBack.close();

        asking.queues().admin().requestRevocation(name, "why");

        awaitTold(2);
        handle.close();
        assertThat(told).containsExactlyInAnyOrder("throwing", "second: asking says why");
    }

    @Test
    void requestRevocation_manyHolders_eachIsTold() throws Exception {
        Client asking = asking();
        Client client = client();
        List<CompletableFuture<Permits>> acquired = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            acquired.add(client.queues().semaphore(name, MANY).acquireAsync(1));
        }
        List<Permits> handles = acquired.stream().map(Await::get).toList();
        List<Permits> listening = List.of(handles.get(0), handles.get(MANY / 2), handles.get(MANY - 1));
        listening.forEach(handle -> handle.onRevocationRequested(note("handle")));

        assertThat(asking.queues().admin().requestRevocation(name, "why")).isEqualTo(MANY);

        awaitTold(listening.size());
        handles.forEach(LockHandle::close);
        assertThat(told).hasSize(listening.size());
    }

    @Test
    void requestRevocation_manyRequestsAtOnce_eachIsTold() throws Exception {
        LockHandle handle = client().lock(name).acquire();
        handle.onRevocationRequested(note("handle"));
        for (Client asking : List.of(asking(), asking())) {
            for (int i = 0; i < 3; i++) {
                asking.queues().admin().requestRevocation(name, "why " + i);
            }
        }

        awaitTold(6);
        handle.close();
        assertThat(told)
                .containsExactlyInAnyOrder(
                        "handle: asking says why 0",
                        "handle: asking says why 1",
                        "handle: asking says why 2",
                        "handle: asking says why 0",
                        "handle: asking says why 1",
                        "handle: asking says why 2");
    }

    @Test
    void requestRevocation_beforeTheHolderListens_isToldAfterwards() throws Exception {
        Client first = client(options().clientName("first"));
        Client second = client(options().clientName("second"));
        LockHandle handle = client().lock(name).acquire();
        first.queues().admin().requestRevocation(name, "a");
        first.queues().admin().requestRevocation(name, "a again");
        second.queues().admin().requestRevocation(name, "b");

        handle.onRevocationRequested(note("late"));

        awaitTold(3);
        handle.close();
        assertThat(told)
                .containsExactlyInAnyOrder("late: first says a", "late: first says a again", "late: second says b");
    }

    @Test
    void requestRevocation_meantForAnEarlierHold_isNotTold() throws Exception {
        Client asking = asking();
        Client client = client(LockOptions.builder().awaitRelease(true).build());
        client.lock(name).acquire().close();
        LockHandle earlier = client.lock(name).acquire();
        asking.queues().admin().requestRevocation(name, "earlier");
        earlier.close();
        LockHandle later = client.lock(name).acquire();
        later.onRevocationRequested(note("later"));

        asking.queues().admin().requestRevocation(name, "later");

        awaitTold(1);
        later.close();
        assertThat(told).containsExactly("later: asking says later");
    }

    @Test
    void requestRevocation_meantForWhoHandedItOver_isNotTold() throws Exception {
        Client asking = asking();
        Client client = client();
        LockHandle earlier = client.lock(name).acquire();
        CompletableFuture<LockHandle> waiting = client.lock(name).acquireAsync();
        client.events().await("contended " + name, 1);
        earlier.onRevocationRequested(note("earlier"));
        asking.queues().admin().requestRevocation(name, "earlier");
        awaitTold(1);
        earlier.close();
        LockHandle later = Await.get(waiting);
        later.onRevocationRequested(note("later"));
        client.queues().admin().names(name); // so that the store now knows which requests are old

        asking.queues().admin().requestRevocation(name, "later");

        awaitTold(2);
        later.close();
        assertThat(told).containsExactly("earlier: asking says earlier", "later: asking says later");
    }

    @Test
    void requestRevocation_manyHolders_allAreAsked() throws Exception {
        Client asking = asking();
        for (Client client : List.of(client(), client())) {
            LockHandle reader =
                    client.queues().readWriteLock(name + "-read").readLock().acquire();
            reader.onRevocationRequested(note("reader"));
            LockHandle permit = client.queues().semaphore(name + "-permits", 3).acquire();
            permit.onRevocationRequested(note("permit"));
        }

        assertThat(asking.queues().admin().requestRevocation(name + "-read", "why"))
                .isEqualTo(2);
        assertThat(asking.queues().admin().requestRevocation(name + "-permits", "why"))
                .isEqualTo(2);

        awaitTold(4);
        assertThat(told)
                .containsExactlyInAnyOrder(
                        "reader: asking says why",
                        "reader: asking says why",
                        "permit: asking says why",
                        "permit: asking says why");
    }

    @Test
    void requestRevocation_ofADowngradedHold_isTold() throws Exception {
        Client asking = asking();
        Client client = client();
        DistributedLock write = client.queues().readWriteLock(name).writeLock();
        DistributedLock read = client.queues().readWriteLock(name).readLock();
        write.lock();
        read.lock();
        read.onRevocationRequested(note("reader"));
        write.unlock();
        enter(asking.queues().readWriteLock(name).readLock()).leave();

        asking.queues().admin().requestRevocation(name, "why");

        awaitTold(1);
        read.unlock();
        assertThat(told).containsExactly("reader: asking says why");
    }

    @Test
    void requestRevocation_anyListener_isToldOnTheCallbackExecutor() throws Exception {
        ThreadLocal<Boolean> callback = ThreadLocal.withInitial(() -> false);
        try (Actor executor = new Actor()) {
            executor.run(() -> callback.set(true));
            Client client = client(options().callbackExecutor(task -> executor.begin(task::run)));
            LockHandle handle = client.lock(name).acquire();
            CompletableFuture<Boolean> where = new CompletableFuture<>();
            handle.onRevocationRequested((who, reason) -> where.complete(callback.get()));

            asking().queues().admin().requestRevocation(name, "why");

            assertThat(Await.get(where)).isTrue();
            handle.close();
            client.client().close();
        }
    }
}
