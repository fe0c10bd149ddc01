package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.wellkeeper.DistributedSemaphore;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockLostException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** {@link DistributedSemaphore}: permits of a lost session come back, and their holder knows of the loss. */
abstract class SemaphoreLossContract extends SemaphoreKit {

    private static void assertLost(Purse semaphore, int permits) {
        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> semaphore.give(permits));
    }

    private static void assertNothingToRelease(Purse semaphore) {
        assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(semaphore::give)
                .isNotInstanceOf(LockLostException.class);
    }

    @Test
    void cut_forLong_permitsComeBackAndTheHolderKnowsBefore() throws Exception {
        Client loser = mortalClient();
        Client next = client();
        LockHandle mine = semaphore(loser, 3).acquire(2);
        acquire(semaphore(loser, 3), 1);
        Future<?> waiting = queueUp(next, semaphore(next, 3), 3);

        fixture.cut(loser.client());
        Await.result(waiting);

        assertThat(mine.isHeld()).isFalse();
        assertThatExceptionOfType(LockLostException.class).isThrownBy(mine::checkHeld);
        fixture.mend(loser.client());
        assertLost(semaphore(loser, 3), 1);
        assertNothingToRelease(semaphore(loser, 3));
        assertThatExceptionOfType(LockLostException.class).isThrownBy(mine::close);
        semaphore(next, 3).give(3);
        acquire(semaphore(loser, 3), 3);
        semaphore(loser, 3).give(3);
    }

    @Test
    void lose_asManyAsAnIntHoldsAndAsManyAcquiredAgain_eachIsReleased() throws Exception {
        Client loser = client();
        Purse semaphore = semaphore(loser, Integer.MAX_VALUE);
        acquire(semaphore, Integer.MAX_VALUE);
        fixture.lose(loser.client());
        acquire(semaphore, Integer.MAX_VALUE);

        assertLost(semaphore, Integer.MAX_VALUE);

        semaphore.give(Integer.MAX_VALUE);
        assertNothingToRelease(semaphore);
    }

    @Test
    void lose_whileHeld_releaseIsRefusedAsOftenAsAcquired() throws Exception {
        Client loser = client();
        Purse semaphore = semaphore(loser, 4);
        LockHandle handle = semaphore.acquire();
        acquire(semaphore, 1);
        acquire(semaphore, 2);

        fixture.lose(loser.client());
        Await.until("loss of the permits", () -> !handle.isHeld());

        assertLost(semaphore, 1);
        assertLost(semaphore, 2);
        assertNothingToRelease(semaphore);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
        assertAllComeBack(4);
    }

    @Test
    void release_someLostAndSomeNot_theRestIsGivenBack() throws Exception {
        Client loser = client();
        Purse semaphore = semaphore(loser, 4);
        LockHandle witness = semaphore.acquire();
        acquire(semaphore, 1);
        fixture.lose(loser.client());
        Await.until("loss of the permits", () -> !witness.isHeld());
        acquire(semaphore, 2);

        assertLost(semaphore, 3);

        assertNothingToRelease(semaphore);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(witness::close);
        assertAllComeBack(4);
    }

    @Test
    void lose_whileHeld_handlesAreToldOnce() throws Exception {
        List<String> told = new CopyOnWriteArrayList<>();
        Client loser = client();
        List<LockHandle> handles = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            LockHandle handle = semaphore(loser, 3).acquire();
            handle.onLost(() -> told.add("told"));
            handles.add(handle);
        }

        fixture.lose(loser.client());

        Await.until(() -> "all told: " + told, () -> told.size() >= 2);
        loser.events().await("lost " + name, 2);
        assertAllComeBack(3);
        handles.forEach(
                handle -> assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close));
        assertThat(told).hasSize(2);
    }

    @Test
    void lose_whileWaiting_waiterAcquiresAnew() throws Exception {
        Purse holder = semaphore(client(), 2);
        Client loser = client();
        acquire(holder, 2);
        Future<?> waiting = queueUp(loser, semaphore(loser, 2), 2);

        fixture.lose(loser.client());
        holder.give(2);

        Await.result(waiting);
        semaphore(loser, 2).give(2);
        assertAllComeBack(2);
    }

    @Test
    void lose_largeWaiterAhead_smallIsLetIn() throws Exception {
        Purse holder = semaphore(client(), 3);
        Client loser = client();
        Client small = client();
        acquire(holder, 2);
        Future<?> wantsThree = queueUp(loser, semaphore(loser, 3), 3);
        Future<?> wantsOne = queueUp(small, semaphore(small, 3), 1);

        fixture.lose(loser.client());

        Await.result(wantsOne);
        semaphore(small, 3).give();
        holder.give(2);
        Await.result(wantsThree);
        semaphore(loser, 3).give(3);
        assertAllComeBack(3);
    }

    @Test
    void release_whileCut_permitsComeBackAfterwards() throws Exception {
        Client client = client();
        Purse semaphore = semaphore(client, 3);
        acquire(semaphore, 3);
        fixture.cut(client.client());

        semaphore.give(2);
        semaphore.give(1);
        assertNothingToRelease(semaphore);
        fixture.mend(client.client());

        assertAllComeBack(3);
    }

    @Test
    void acquire_whileCut_waitsForTheConnection() throws Exception {
        Client client = client();
        fixture.cut(client.client());
        Future<?> acquired = actor().begin(() -> semaphore(client, 2).take());

        fixture.mend(client.client());

        Await.result(acquired);
        semaphore(client, 2).give();
        assertAllComeBack(2);
    }

    @Test
    void evict_oneHolder_othersKeepTheirs() throws Exception {
        Client first = watchfulClient();
        Client second = client();
        LockHandle evicted = semaphore(first, 2).acquire();
        LockHandle kept = semaphore(second, 2).acquire();

        fixture.evict(name);

        Await.until("loss of the first", () -> !evicted.isHeld());
        assertThat(kept.isHeld()).isTrue();
        assertThatExceptionOfType(LockLostException.class).isThrownBy(evicted::close);
        kept.close();
        assertAllComeBack(2);
    }

    @Test
    void close_whileHeld_isLostToItsHolders() throws Exception {
        Client closing = client();
        Purse semaphore = semaphore(closing, 3);
        LockHandle handle = semaphore.acquire();
        acquire(semaphore, 1);

        closing.client().close();

        assertThat(handle.isHeld()).isFalse();
        assertLost(semaphore, 1);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
        assertAllComeBack(3);
    }

    @Test
    void lose_againAndAgainUnderLoad_everyoneGetsInAtLast() throws Exception {
        Client loser = client();
        List<Future<?>> running = new ArrayList<>();
        for (Client client : List.of(loser, client())) {
            for (int thread = 0; thread < 2; thread++) {
                running.add(actor().begin(() -> visitOften(semaphore(client, 2))));
            }
        }
        for (int i = 0; i < 5; i++) {
            fixture.lose(loser.client());
            assertComesFree(name + "-between");
        }

        running.forEach(Await::result);
        assertAllComeBack(2);
    }

    private static void visitOften(Purse semaphore) throws InterruptedException {
        for (int i = 0; i < 20; i++) {
            LockHandle handle = semaphore.acquire();
            try {
                handle.close();
            } catch (LockLostException expected) {
                assertThat(handle.isHeld()).isFalse();
            }
        }
    }
}
