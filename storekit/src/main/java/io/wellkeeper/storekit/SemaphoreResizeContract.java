package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.wellkeeper.DistributedSemaphore;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockOptions;
import io.wellkeeper.LockStoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** {@link DistributedSemaphore}: all its users agree on the number of permits, and the number may be changed. */
abstract class SemaphoreResizeContract extends SemaphoreKit {

    private static final int ROUNDS = 20;

    private static final LockOptions AWAITING =
            LockOptions.builder().awaitRelease(true).build();

    /** A number that cannot be part of a name by chance. */
    private static final int NUMBER = 1_234_567;

    private static final int OTHER_NUMBER = 7_654_321;

    @Test
    void acquire_anotherNumberThanTheStores_isRefusedNamingBoth() throws Exception {
        acquire(semaphore(client(), NUMBER), 1);
        Purse other = semaphore(client(), OTHER_NUMBER);

        assertNamesBoth(other::take);
        assertNamesBoth(other::tryTake);
        assertNamesBoth(() -> other.tryTake(1, TimeUnit.DAYS));
        assertNamesBoth(other::acquire);
        assertNamesBoth(() -> other.tryAcquire(1, Duration.ofDays(1)));
        assertNamesBoth(() -> Await.get(other.acquireAsync(1)));
        assertNamesBoth(() -> Await.get(other.tryAcquireAsync(1, Duration.ofDays(1))));
        assertThat(other.permits()).isEqualTo(NUMBER);
    }

    private void assertNamesBoth(Actor.Action action) {
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> actor().run(action))
                .withMessageContaining(Integer.toString(NUMBER))
                .withMessageContaining(Integer.toString(OTHER_NUMBER));
    }

    @Test
    void acquire_anotherNumberInTheSameClient_isRefused() throws Exception {
        Client client = client();
        acquire(semaphore(client, 2), 1);

        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> acquire(semaphore(client, 3), 1));

        semaphore(client, 2).give();
        assertAllComeBack(2);
    }

    @Test
    void acquire_firstUseByManyAtOnce_oneNumberWins() throws Exception {
        List<Client> clients = List.of(client(), client(), client(), client());
        List<Actor> threads = List.of(actor(), actor(), actor(), actor());
        for (int round = 0; round < ROUNDS; round++) {
            String each = name + round;
            List<Purse> objects = IntStream.range(0, clients.size())
                    .mapToObj(i -> semaphore(clients.get(i), each, NUMBER + i % 2))
                    .toList();
            List<Future<Boolean>> first = new ArrayList<>();
            for (int i = 0; i < objects.size(); i++) {
                Purse semaphore = objects.get(i);
                first.add(threads.get(i).start(() -> isAgreed(semaphore)));
            }
            assertOneNumberWins(objects, first);
        }
    }

    /** A client behind the first one may read the old notice before the first one has corrected it. */
    @Test
    void acquire_firstUseByManyAtOnceWithAnotherNumberThanBefore_allAgree() throws Exception {
        List<Client> clients = List.of(client(), client(), client(), client());
        List<Actor> threads = List.of(actor(), actor(), actor(), actor());
        for (int round = 0; round < ROUNDS; round++) {
            String each = name + round;
            semaphore(clients.get(0), each, OTHER_NUMBER).resize(OTHER_NUMBER);
            List<Future<Boolean>> first = new ArrayList<>();
            for (int i = 0; i < clients.size(); i++) {
                Purse semaphore = semaphore(clients.get(i), each, NUMBER);
                first.add(threads.get(i).start(() -> isAgreed(semaphore)));
            }

            assertThat(first).allMatch(Await::result);
        }
    }

    @Test
    void acquire_anotherNumberThanThatOfOneWhoHasGone_isRefusedNamingBoth() throws Exception {
        Purse first = semaphore(client(AWAITING), NUMBER);
        acquire(first, 1);
        acquire(semaphore(client(), NUMBER), 1);
        first.give();

        assertNamesBoth(semaphore(client(), OTHER_NUMBER)::take);
    }

    private static void assertOneNumberWins(List<Purse> objects, List<Future<Boolean>> first) {
        List<Integer> agreed = new ArrayList<>();
        for (int i = 0; i < first.size(); i++) {
            if (Await.result(first.get(i))) {
                agreed.add(i % 2);
            }
        }

        assertThat(agreed).isNotEmpty().containsOnly(agreed.get(0)).hasSize(2);
        int number = NUMBER + agreed.get(0);
        assertThat(objects).allMatch(object -> object.permits() == number);
    }

    private static boolean isAgreed(Purse semaphore) throws InterruptedException {
        try {
            semaphore.take();
            return true;
        } catch (IllegalStateException refused) {
            return false;
        }
    }

    @Test
    void permits_notInUse_isTheNumberOfTheObject() throws Exception {
        Client client = client(AWAITING);
        assertThat(semaphore(client, 4).permits()).isEqualTo(4);
        assertThat(semaphore(client, 4).availablePermits()).isEqualTo(4);
        acquire(semaphore(client, 4), 1);
        assertThat(semaphore(client, 5).permits()).isEqualTo(4);
        semaphore(client, 4).give();

        Client other = client(AWAITING);
        acquire(semaphore(other, 6), 6);

        assertThat(semaphore(client, 4).permits()).isEqualTo(6);
        semaphore(other, 6).give(6);
    }

    @Test
    void resize_badNumber_isRefused() throws Exception {
        Purse semaphore = semaphore(client(), 1);
        for (int bad : new int[] {0, -1}) {
            assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> semaphore.resize(bad));
        }
    }

    @Test
    void resize_up_waitersAreLetInAtOnce() throws Exception {
        Purse holder = semaphore(client(), 1);
        acquire(holder, 1);
        Client b = client();
        Client c = client();
        Purse waitingB = semaphore(b, 1);
        Purse waitingC = semaphore(c, 1);
        Future<?> second = queueUp(b, waitingB, 1);
        Future<?> third = queueUp(c, waitingC, 1);

        semaphore(client(), 1).resize(3);

        Await.result(second);
        Await.result(third);
        List.of(holder, waitingB, waitingC).forEach(Purse::give);
        assertAllComeBack(3);
    }

    @Test
    void resize_down_nobodyLosesOneAndNobodyGetsOneUntilEnoughHaveComeBack() throws Exception {
        List<Purse> holders = threeHolders();
        AtomicInteger inUse = new AtomicInteger(3);
        Client late = client();
        Future<?> acquired = queueUpUntilNoneIsInUse(late, inUse);

        holders.get(0).resize(1);

        assertThat(holders.get(1).availablePermits()).isLessThanOrEqualTo(0);
        for (Purse holder : holders) {
            assertThat(holder.permits()).isEqualTo(1);
            assertThat(acquired).isNotDone();
            inUse.decrementAndGet();
            holder.give();
        }
        Await.result(acquired);
        semaphore(late, 1).give();
        assertAllComeBack(1);
    }

    private List<Purse> threeHolders() throws Exception {
        return holders(client(), client(), client());
    }

    /** Clients that hold one permit of three each. */
    private List<Purse> holders(Client... clients) {
        List<Purse> holders = new ArrayList<>();
        for (Client client : clients) {
            Purse holder = semaphore(client, 3);
            acquire(holder, 1);
            holders.add(holder);
        }
        return holders;
    }

    /** A waiter that still believes that there are three permits, and must not get in before all have come back. */
    private Future<?> queueUpUntilNoneIsInUse(Client late, AtomicInteger inUse) {
        return late.queueUp(actor(), name, () -> {
            semaphore(late, 3).take();
            assertThat(inUse).hasValue(0);
        });
    }

    @Test
    void resize_down_whoeverHasOneIsShownAsAHolderAndCanBeAskedAndBroken() throws Exception {
        threeHolders();
        Client late = client();
        Future<?> acquired = queueUp(late, semaphore(late, 3), 1);
        LockClient operator = client().queues();
        operator.semaphore(name, 3).resize(2);

        operator.semaphore(name, 3).resize(1);

        assertThat(operator.admin().inspect(name).holders()).hasSize(3);
        assertThat(operator.admin().inspect(name).waiters()).hasSize(1);
        assertThat(operator.admin().requestRevocation(name, "there are fewer")).isEqualTo(3);
        assertThat(operator.admin().breakLock(name, "there are fewer")).hasSize(3);
        Await.result(acquired);
        assertThat(operator.admin().inspect(name).holders()).hasSize(1);
        semaphore(late, 1).give();
        assertAllComeBack(1);
    }

    @Test
    void resize_belowWhatOneHas_isShownAsAHolder() throws Exception {
        Purse holder = semaphore(client(AWAITING), 3);
        acquire(holder, 3);
        LockClient operator = client().queues();

        operator.semaphore(name, 3).resize(2);

        assertThat(operator.admin().inspect(name).holders()).hasSize(1);
        holder.give(3);
        assertAllComeBack(2);
    }

    @Test
    void resize_downAndGivenBackInOneBreath_waiterHeedsTheNewNumber() throws Exception {
        for (int round = 0; round < 10; round++) {
            resizeDownAndGiveBack(client(), client());
        }
    }

    /** A client knows of the permits that it gives back before the store tells it anything. */
    @Test
    void resize_downAndGivenBackByTheWaitersOwnClient_waiterHeedsTheNewNumber() throws Exception {
        for (int round = 0; round < 10; round++) {
            Client both = client();
            resizeDownAndGiveBack(both, both);
        }
    }

    private void resizeDownAndGiveBack(Client first, Client late) throws Exception {
        List<Purse> holders = holders(first, client(), client());
        AtomicInteger inUse = new AtomicInteger(3);
        Future<?> acquired = queueUpUntilNoneIsInUse(late, inUse);

        inUse.decrementAndGet();
        holders.get(0).resize(1);
        holders.get(0).give();

        for (Purse holder : holders.subList(1, 3)) {
            assertThat(semaphore(late, 3).permits()).isEqualTo(1);
            assertThat(acquired).isNotDone();
            inUse.decrementAndGet();
            holder.give();
        }
        Await.result(acquired);
        semaphore(late, 1).resize(3);
        semaphore(late, 3).give();
        assertAllComeBack(3);
    }

    @Test
    void resize_downWhileAWaiterIsCutOff_waiterHeedsTheNewNumber() throws Exception {
        List<Purse> holders = threeHolders();
        AtomicInteger inUse = new AtomicInteger(3);
        Client late = client();
        Future<?> acquired = queueUpUntilNoneIsInUse(late, inUse);
        fixture.cut(late.client());
        holders.get(0).resize(1);
        inUse.decrementAndGet();
        holders.get(0).give();

        fixture.mend(late.client());

        for (Purse holder : holders.subList(1, 3)) {
            Await.until("the waiter's client to be back", () -> permitsOrZero(late) == 1);
            assertThat(acquired).isNotDone();
            inUse.decrementAndGet();
            holder.give();
        }
        Await.result(acquired);
        semaphore(late, 1).give();
        assertAllComeBack(1);
    }

    private int permitsOrZero(Client client) {
        try {
            return semaphore(client, 3).permits();
        } catch (LockStoreException notYetBack) {
            return 0;
        }
    }

    @Test
    void resize_bySomebodyElse_objectThatAgreedFollows() throws Exception {
        Client a = client();
        Purse agreed = semaphore(a, 2);
        acquire(agreed, 1);
        Purse other = semaphore(client(), 2);
        acquire(other, 1);

        other.resize(5);

        assertThat(agreed.permits()).isEqualTo(5);
        acquire(agreed, 3);
        assertThat(agreed.availablePermits()).isZero();
        assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> acquire(agreed, 6));
        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> acquire(semaphore(a, 2), 1));
        agreed.give(4);
        acquire(semaphore(a, 5), 4);
        other.resize(4);
        assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> acquire(agreed, 5));
        semaphore(a, 4).give(4);
        other.give();
        assertAllComeBack(4);
    }

    @Test
    void resize_byAnObjectThatDisagreed_agreesAfterwards() throws Exception {
        Purse holder = semaphore(client(), 2);
        acquire(holder, 2);
        Purse other = semaphore(client(), 9);
        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> acquire(other, 1));

        other.resize(3);

        acquire(other, 1);
        other.give();
        holder.give(2);
        assertAllComeBack(3);
    }

    @Test
    void resize_notInUse_isWhatTheNextOneFinds() throws Exception {
        Purse semaphore = semaphore(client(), 2);

        semaphore.resize(3);

        acquire(semaphore, 3);
        assertThat(semaphore.tryTake()).isFalse();
        semaphore.give(3);
        assertAllComeBack(3);
    }

    @Test
    void resize_againAndAgainUnderLoad_everyoneGetsIn() throws Exception {
        Client keeper = client();
        acquire(semaphore(keeper, 1), 1);
        semaphore(keeper, 1).resize(3);
        List<Future<?>> running = new ArrayList<>();
        for (Client client : List.of(client(), client(), client())) {
            Purse semaphore = semaphore(client, 3);
            acquire(semaphore, 1);
            semaphore.give();
            for (int thread = 0; thread < 2; thread++) {
                running.add(actor().begin(() -> {
                    for (int i = 0; i < 20; i++) {
                        semaphore.take();
                        semaphore.give();
                    }
                }));
            }
        }
        Purse resizing = semaphore(keeper, 3);
        for (int round = 0; round < 10; round++) {
            resizing.resize(2 + round % 3);
        }
        resizing.resize(3);

        running.forEach(Await::result);
        resizing.give();
        assertAllComeBack(3);
    }
}
