package io.wellkeeper.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.LockStoreException;
import io.wellkeeper.Registration;
import io.wellkeeper.spi.LeaseStore;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.SessionOptions;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketStore;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** The line behind abandoned requests, while some of these are answered and others are abandoned all the time. */
class StragglersTest {

    private static final String NAME = "l";
    private static final Duration DAY = Duration.ofDays(1);
    private static final int ROUNDS = 20_000;
    private static final int PATIENCE = 1_000; // so often it looks before it lets another thread run
    private static final int SPREAD = 64; // so many moments at which two threads meet

    private final StoppedTime time = new StoppedTime();
    private final Events events = new Events("client", Optional.empty(), Optional.of(Runnable::run));
    private final AtomicInteger asked = new AtomicInteger(); // how often the store was asked for the lock
    private final TicketQueue queue = Pretended.of(
            TicketQueue.class,
            method -> method.getName().equals("tellsQueue") ? Boolean.FALSE : answer(method, "take"));
    private final Session session =
            Pretended.of(Session.class, method -> method.getName().equals("queue") ? queue : something(method));
    private final TicketStore tickets =
            Pretended.of(TicketStore.class, method -> CompletableFuture.completedFuture(session));
    private final LeaseStore leases = Pretended.of(LeaseStore.class, method -> answer(method, "tryAcquire"));
    private final SessionKeeper keeper =
            new SessionKeeper(tickets, new SessionOptions("client", DAY), time, events, new Nobody());
    private volatile Stragglers stragglers = new Stragglers();

    private CompletableFuture<Object> answer(Method method, String request) {
        if (method.getName().equals(request)) {
            asked.incrementAndGet();
        }
        return new CompletableFuture<>();
    }

    private static Object something(Method method) {
        return method.getReturnType() == Duration.class ? DAY : CompletableFuture.completedFuture(null);
    }

    private static final class Nobody implements SessionKeeper.User, Attempt.Listener {

        @Override
        public void sessionChanged() {}

        @Override
        public void beat() {}

        @Override
        public void refused(LockStoreException why) {}

        @Override
        public void departed(String name, Ticket ticket) {}

        @Override
        public void entered(Grant grant) {}

        @Override
        public void refused() {}

        @Override
        public void failed(RuntimeException reason) {
            throw reason;
        }

        @Override
        public void waiting() {}
    }

    private Attempt forTicket() {
        stragglers = new Stragglers();
        return new AcquireLoop(
                NAME,
                Want.LOCK,
                true,
                () -> "",
                () -> keeper,
                time,
                waiting -> Registration.NONE,
                stragglers,
                new Nobody());
    }

    private Attempt forLease() {
        Leases shared = new Leases(leases, time, events, () -> false);
        stragglers = shared.stragglers();
        LeaseTerms terms = new LeaseTerms(DAY, true);
        return new LeaseLoop(shared, NAME, true, terms, () -> "", new Nobody());
    }

    @Test
    void start_ofAnAttemptForATicketWhileOthersComeAndGo_asksWhenAllAreAnswered() throws Exception {
        keeper.open();

        assertThatEachAsks(this::forTicket);
    }

    @Test
    void start_ofAnAttemptForALeaseWhileOthersComeAndGo_asksWhenAllAreAnswered() throws Exception {
        assertThatEachAsks(this::forLease);
    }

    /** While an attempt takes its place in line, it is let out of it, and finds another request abandoned. */
    private void assertThatEachAsks(Supplier<Attempt> attempts) throws Exception {
        AtomicInteger begun = new AtomicInteger();
        AtomicInteger ended = new AtomicInteger();
        Thread answers = new Thread(() -> {
            for (int round = 1; round <= ROUNDS; round++) {
                awaitRound(begun, round);
                spin(round % SPREAD);
                stragglers.answered(NAME);
                ended.set(round);
            }
        });
        answers.start();
        int stuck = 0;
        for (int round = 1; round <= ROUNDS; round++) {
            Attempt attempt = attempts.get();
            Stragglers here = stragglers;
            for (int i = 0; i < Stragglers.MOST; i++) {
                here.abandoned(NAME);
            }
            here.enter(NAME, () -> here.abandoned(NAME));
            asked.set(0);
            begun.set(round);
            spin(round / SPREAD % SPREAD);
            attempt.start();
            awaitRound(ended, round);
            for (int i = 0; i < Stragglers.MOST; i++) {
                here.answered(NAME);
            }
            stuck += asked.get() == 0 ? 1 : 0;
        }
        answers.join();
        assertThat(stuck).isZero();
    }

    private static void awaitRound(AtomicInteger rounds, int round) {
        for (int looks = 1; rounds.get() < round; looks++) {
            if (looks % PATIENCE == 0) {
                Thread.yield(); // there may be but one processor
            } else {
                Thread.onSpinWait();
            }
        }
    }

    private static void spin(int times) {
        for (int i = 0; i < times; i++) {
            Thread.onSpinWait();
        }
    }
}
