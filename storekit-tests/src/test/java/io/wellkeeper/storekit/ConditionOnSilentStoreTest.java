package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockLostException;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.StoreRefusalException;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketStore;
import io.wellkeeper.testkit.ForwardingTicketStore;
import io.wellkeeper.testkit.InMemoryTicketStore;
import io.wellkeeper.testkit.Request;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Threads that wait on a condition while the store says nothing, or refuses. */
class ConditionOnSilentStoreTest extends ConditionKit {

    private final AtomicBoolean silentAboutPosts = new AtomicBoolean();
    private final AtomicBoolean posted = new AtomicBoolean();
    private final AtomicBoolean refusesToTellPosts = new AtomicBoolean();
    private final InMemoryLockFixture inMemory = new InMemoryLockFixture() {
        @Override
        TicketStore wrap(InMemoryTicketStore store) {
            return new Reticent(store);
        }
    };

    @Override
    protected LockFixture newFixture() {
        return inMemory;
    }

    /** Has begun to wait when this returns, and has not been answered. */
    private Future<?> waitUnanswered(Actor actor, Actor.Action waiting) {
        inMemory.server.freeze();
        int takes = inMemory.server.requests(Request.TAKE);
        Future<?> over = actor.begin(waiting);
        Await.until("a ticket asked for", () -> inMemory.server.requests(Request.TAKE) > takes);
        return over;
    }

    private void answerOnceReleased(Future<?> waiting) {
        Await.until("the lock given up", () -> inMemory.server.requests(Request.REMOVE) > 0 || waiting.isDone());
        inMemory.server.unfreeze();
    }

    @Test
    void await_interruptedBeforeTheStoreAnswers_releasesTheLockAllTheSame() throws Exception {
        Client a = client();
        Client b = client();
        DistributedLock lock = a.lock(name);
        AtomicBoolean visited = new AtomicBoolean();
        Actor waiter = holder(a, name);
        Future<?> visit = b.queueUp(actor(), name, () -> {
            b.lock(name).lock();
            visited.set(true);
            b.lock(name).unlock();
        });
        Future<?> over = waitUnanswered(waiter, () -> {
            lock.lock();
            assertThatThrownBy(condition(a)::await).isInstanceOf(InterruptedException.class);
            assertThat(visited).isTrue();
            assertThat(lock.getHoldCount()).isEqualTo(2);
            lock.unlock();
            lock.unlock();
        });

        waiter.interrupt();
        answerOnceReleased(over);

        Await.result(over);
        Await.result(visit);
        assertComesFree(name);
    }

    @Test
    void await_timeIsOverWhileTheStoreIsSilent_releasesTheLockAllTheSame() throws Exception {
        Client a = client();
        Client b = client();
        AtomicBoolean visited = new AtomicBoolean();
        Actor waiter = holder(a, name);
        Future<?> visit = b.queueUp(actor(), name, () -> {
            b.lock(name).lock();
            visited.set(true);
            b.lock(name).unlock();
        });
        Future<?> over = waitUnanswered(waiter, () -> {
            assertThat(condition(a).await(1, TimeUnit.MILLISECONDS)).isFalse();
            assertThat(visited).isTrue();
            a.lock(name).unlock();
        });

        answerOnceReleased(over);

        Await.result(over);
        Await.result(visit);
        assertComesFree(name);
    }

    /** The client has the lock again, and loses it at its end; nothing more comes of the store. */
    @Test
    void await_clientClosesBeforeTheSignalIsAnswered_endsAtOnce() throws Exception {
        Client a = client(options().storeTimeout(Duration.ofMinutes(5)));
        Client b = client();
        Sleeper sleeper = sleep(a, "a");
        locked(b, () -> {
            condition(b).signal();
            silentAboutPosts.set(true);
            posted.set(false);
        });
        Await.until("an answer to the signal", posted::get);

        a.client().close();

        assertThatExceptionOfType(LockLostException.class).isThrownBy(sleeper::awaitAwake);
        assertThat(woken).isEmpty();
        assertComesFree(name);
    }

    @Test
    void await_storeRefusesWhenTheLockIsGivenUp_saysSoWithTheLock() throws Exception {
        Client a = client();
        Client b = client();
        Sleeper sleeper = sleep(a, condition -> {
            assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> condition.await(1, TimeUnit.HOURS));
            assertThat(a.lock(name).getHoldCount()).isEqualTo(1);
        });
        refusesToTellPosts.set(true);

        signal(b);

        sleeper.awaitAwake();
        assertComesFree(name);
    }

    /** One of them may be waiting for this very thread. */
    @Test
    void await_lockIsLostWhileCallbacksWait_endsAtOnce() throws Exception {
        Queue<Runnable> callbacks = new ConcurrentLinkedQueue<>();
        Client a = client(options().sessionTimeout(Duration.ofMillis(600)).callbackExecutor(callbacks::add));
        Actor waiter = holder(a, name);

        Future<?> over = waitUnanswered(waiter, () -> {
            assertThatExceptionOfType(LockLostException.class).isThrownBy(condition(a)::await);
            assertThatExceptionOfType(LockLostException.class).isThrownBy(a.lock(name)::unlock);
        });

        Await.result(over);
        inMemory.server.unfreeze();
        callbacks.forEach(Runnable::run);
        assertComesFree(name);
    }

    private final class Reticent extends ForwardingTicketStore {

        Reticent(InMemoryTicketStore store) {
            super(store);
        }

        @Override
        protected TicketQueue queue(TicketQueue sound, String queueName) {
            return new ForwardingQueue(sound) {
                @Override
                public CompletionStage<Boolean> post(Notice seen, String text) {
                    posted.set(true);
                    return silentAboutPosts.get() ? new CompletableFuture<>() : queue.post(seen, text);
                }

                @Override
                public CompletionStage<Notice> notice() {
                    return refusesToTellPosts.get() && posted.get()
                            ? CompletableFuture.failedFuture(new StoreRefusalException("not for you"))
                            : queue.notice();
                }
            };
        }
    }
}
