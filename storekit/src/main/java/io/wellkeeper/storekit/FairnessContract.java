package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockOptions;
import io.wellkeeper.LockStatus;
import io.wellkeeper.Participant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * First come, first served; the bound of local hand-overs; and the queue as other clients see it. Over a store with
 * queues.
 */
abstract class FairnessContract extends LockKit {

    private static final Duration LONG = Duration.ofDays(1);

    private final List<String> order = new CopyOnWriteArrayList<>();

    /** A thread that waits for the lock, notes its label when it has the lock, and releases it. */
    private Future<?> visitor(Client client, String label) {
        Actor actor = actor();
        return client.queueUp(actor, name, () -> {
            client.lock(name).lock();
            order.add(label);
            client.lock(name).unlock();
        });
    }

    @Test
    void lock_byManyClients_isFirstComeFirstServed() throws Exception {
        Client first = client();
        Actor holder = holder(first, name);
        List<Future<?>> visitors = new ArrayList<>();
        for (String label : List.of("b", "c", "d", "e")) {
            visitors.add(visitor(client(), label));
        }

        release(holder, first, name);

        visitors.forEach(Await::result);
        assertThat(order).containsExactly("b", "c", "d", "e");
    }

    @Test
    void lock_waiterAheadGivesUp_nextIsLetIn() throws Exception {
        Client first = client();
        Actor holder = holder(first, name);
        Client impatient = client();
        Actor quitter = actor();
        Future<?> givingUp = impatient.queueUp(quitter, name, impatient.lock(name)::lockInterruptibly);
        Client timed = client();
        Future<?> timingOut = timed.queueUpBriefly(
                actor(),
                name,
                () -> assertThat(timed.lock(name).tryLock(50, TimeUnit.MILLISECONDS))
                        .isFalse());
        Future<?> patient = visitor(client(), "patient");
        quitter.interrupt();
        assertThat(givingUp).failsWithin(Await.patience());
        Await.result(timingOut);

        release(holder, first, name);

        Await.result(patient);
    }

    @Test
    void lock_waiterAheadLosesItsSession_nextIsLetInAndItComesAgain() throws Exception {
        Client first = client();
        Actor holder = holder(first, name);
        Client unlucky = client();
        Future<?> second = visitor(unlucky, "unlucky");
        Future<?> third = visitor(client(), "lucky");

        fixture.lose(unlucky.client());
        unlucky.events().await("contended " + name, 1);
        release(holder, first, name);

        Await.result(third);
        Await.result(second);
        assertThat(order).containsExactlyInAnyOrder("lucky", "unlucky");
    }

    @Test
    void tryLock_betweenHolderAndWaiters_isFalse() throws Exception {
        Client first = client();
        Client second = client();
        Client third = client();
        Actor holder = holder(first, name);
        Actor waiter = actor();
        Future<?> acquired = second.queueUp(waiter, name);

        release(holder, first, name);

        assertThat(third.lock(name).tryLock()).isFalse();
        Await.result(acquired);
        release(waiter, second, name);
    }

    @Test
    void handOvers_none_strictOrderOverAllThreads() throws Exception {
        LockOptions strict = LockOptions.builder().handOvers(0).build();
        Client a = client(strict);
        Client b = client(strict);
        Actor holder = holder(a, name);
        LockClient onlooker = (LockClient) client().client();
        List<Future<?>> visitors = new ArrayList<>();
        for (String label : List.of("a1", "b1", "a2", "b2", "b3")) {
            visitors.add(visitor(label.startsWith("a") ? a : b, label));
            Await.until(
                    "a number for " + label,
                    () -> onlooker.admin().inspect(name).waiters().size() == visitors.size());
        }

        release(holder, a, name);

        visitors.forEach(Await::result);
        assertThat(order).containsExactly("a1", "b1", "a2", "b2", "b3");
        assertThat(a.events().count("handedOver " + name)).isZero();
    }

    @Test
    void handOvers_two_outsiderWaitsForTwo() throws Exception {
        assertOutsiderWaitsFor(2, 5);
    }

    @Test
    void handOvers_most_outsiderWaitsForAsMany() throws Exception {
        assertOutsiderWaitsFor(LockOptions.MAX_HAND_OVERS, LockOptions.MAX_HAND_OVERS + 5);
    }

    /**
     * Behind a holder waits another client, and then threads of the holder's client: the other client gets in after the
     * bound.
     */
    private void assertOutsiderWaitsFor(int bound, int family) throws Exception {
        Client a =
                client(LockOptions.builder().handOvers(bound).handOverTime(LONG).build());
        Client b = client();
        LockHandle first = a.lock(name).acquire();
        Future<?> outsider = visitor(b, "outsider");
        List<Future<?>> members = new ArrayList<>();
        for (int i = 0; i < family; i++) {
            String label = "member" + i;
            members.add(a.lock(name).acquireAsync().thenAccept(handle -> {
                order.add(label);
                handle.close();
            }));
        }
        a.events().await("contended " + name, family);

        first.close();

        members.forEach(Await::result);
        Await.result(outsider);
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < family; i++) {
            expected.add("member" + i);
        }
        expected.add(bound, "outsider");
        assertThat(order).isEqualTo(expected);
        assertThat(a.events().count("handedOver " + name)).isGreaterThanOrEqualTo(bound);
    }

    @Test
    void handOverTime_over_outsiderIsNext() throws Exception {
        Client a = client(LockOptions.builder()
                .handOvers(LockOptions.MAX_HAND_OVERS)
                .handOverTime(Duration.ZERO)
                .build());
        Actor holder = holder(a, name);
        List<Future<?>> visitors = List.of(visitor(client(), "outsider"), visitor(a, "member"));

        release(holder, a, name);

        visitors.forEach(Await::result);
        assertThat(order).containsExactly("outsider", "member");
    }

    @Test
    void handOver_nobodyOutside_isFirstComeFirstServed() throws Exception {
        Client a = client(LockOptions.builder().handOverTime(LONG).build());
        Actor holder = holder(a, name);
        List<Future<?>> visitors = List.of(visitor(a, "1"), visitor(a, "2"), visitor(a, "3"));

        release(holder, a, name);

        visitors.forEach(Await::result);
        assertThat(order).containsExactly("1", "2", "3");
        a.events().await("handedOver " + name, 3);
    }

    @Test
    void retain_newcomer_isLetIn() throws Exception {
        Client keeper = client(LockOptions.builder().retain(true).build());
        Client newcomer = client();
        DistributedLock kept = keeper.lock(name);
        for (int i = 0; i < 5; i++) {
            long token = 0;
            for (int again = 0; again < 3; again++) {
                kept.lock();
                assertThat(kept.fencingToken()).isGreaterThan(token);
                token = kept.fencingToken();
                kept.unlock();
            }
            assertThat(kept.isHeldByCurrentThread()).isFalse();

            newcomer.lock(name).lock();

            assertThat(newcomer.lock(name).fencingToken()).isGreaterThan(token);
            newcomer.lock(name).unlock();
        }
    }

    @Test
    void retain_clientCloses_nothingIsKept() throws Exception {
        Client keeper = client(LockOptions.builder().retain(true).build());
        keeper.lock(name).lock();
        keeper.lock(name).unlock();

        keeper.client().close();

        assertComesFree(name);
    }

    @Test
    void inspect_heldAndWaitedFor_showsBothInOrder() throws Exception {
        LockOptions why = LockOptions.builder()
                .reason("because \u00e9")
                .label("job", "42")
                .build();
        Client a = client(options().clientName("first").lockDefaults(why));
        Client b = client(options().clientName("second"));
        Client c = client(options().clientName("third"));
        Actor holder = holder(a, name);
        Actor second = actor();
        Actor third = actor();
        Future<@Nullable Void> secondIn = b.queueUp(second, name);
        Future<@Nullable Void> thirdIn = c.queueUp(third, name);

        LockStatus status = ((LockClient) client().client()).admin().inspect(name);

        assertThat(status.name()).isEqualTo(name);
        assertThat(status.holders()).extracting(Participant::clientName).containsExactly("first");
        assertThat(status.waiters()).extracting(Participant::clientName).containsExactly("second", "third");
        assertThat(status.waiters()).extracting(Participant::number).isSorted();
        Participant shown = status.holders().get(0);
        assertThat(shown.number()).isLessThan(status.waiters().get(0).number());
        assertThat(shown.reason()).isEqualTo("because \u00e9");
        assertThat(shown.labels()).isEqualTo(Collections.singletonMap("job", "42"));
        assertThat(shown.thread()).isEqualTo("test-actor");
        assertThat(shown.pid()).isEqualTo(ProcessHandle.current().pid());
        assertThat(shown.host()).isNotEmpty();
        assertThat(shown.waited()).isGreaterThanOrEqualTo(Duration.ZERO);
        release(holder, a, name);
        Await.result(secondIn);
        release(second, b, name);
        Await.result(thirdIn);
        release(third, c, name);
    }

    @Test
    void inspect_unused_showsNobody() throws Exception {
        LockClient client = (LockClient) client().client();

        assertThat(client.admin().inspect(name)).isEqualTo(new LockStatus(name, List.of(), List.of()));
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> client.admin().inspect(""));
    }

    @Test
    void names_withPrefix_areSorted() throws Exception {
        Client holder = client();
        List<String> names = List.of(name + "/b", name + "/a", name + "c");
        names.forEach(used -> holder.lock(used).lock());
        LockClient onlooker = (LockClient) client().client();

        assertThat(onlooker.admin().names(name + "/")).containsExactly(name + "/a", name + "/b");
        assertThat(onlooker.admin().names("")).isSorted().containsAll(names);
        names.forEach(used -> holder.lock(used).unlock());
    }
}
