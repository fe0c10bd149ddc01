package io.wellkeeper.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.LockStoreException;
import io.wellkeeper.Registration;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.SessionOptions;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketStore;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** What another thread does while a waiter is under its lock. */
class AcquireLoopTest {

    private static final String NAME = "l";
    private static final Duration DAY = Duration.ofDays(1);

    private final Ticket first = new Ticket(0, "first", "stranger", Mode.EXCLUSIVE, 1);
    private final Ticket second = new Ticket(1, "second", "stranger", Mode.EXCLUSIVE, 1);
    private final Ticket own = new Ticket(2, "own", "id", Mode.EXCLUSIVE, 1);
    private final Ticket mine = new Ticket(3, "mine", "id", Mode.EXCLUSIVE, 1);
    private final List<String> asked = new ArrayList<>(); // of the queue
    private final CountDownLatch removing = new CountDownLatch(1);
    private final TicketQueue queue = Pretended.of(TicketQueue.class, this::answer);
    private final Session session =
            Pretended.of(Session.class, method -> method.getName().equals("queue") ? queue : something(method));
    private final TicketStore store =
            Pretended.of(TicketStore.class, method -> CompletableFuture.completedFuture(session));
    private final StoppedTime time = new StoppedTime();
    private final SessionKeeper keeper = new SessionKeeper(
            store,
            new SessionOptions("client", DAY),
            time,
            new Events("client", Optional.empty(), Optional.of(Runnable::run)),
            new User());
    private final List<Grant> entered = new ArrayList<>();
    private Runnable meanwhile = () -> {};
    private final AcquireLoop loop = new AcquireLoop(
            NAME,
            new Want(Mode.EXCLUSIVE, 1, new Interrupted(), null, null, false),
            true,
            () -> "",
            () -> keeper,
            time,
            waiting -> Registration.NONE,
            new Stragglers(),
            new Told());

    private Object answer(Method method) {
        asked.add(method.getName());
        return switch (method.getName()) {
            case "take" -> CompletableFuture.completedFuture(new Place(mine, 3, List.of(first, second, own)));
            case "onDeparture" -> Registration.NONE;
            case "remove" -> {
                removing.countDown();
                yield new CompletableFuture<Boolean>();
            }
            case "tellsQueue" -> false;
            default -> new CompletableFuture<>();
        };
    }

    private static Object something(Method method) {
        return method.getReturnType() == Duration.class ? DAY : CompletableFuture.completedFuture(null);
    }

    private final class User implements SessionKeeper.User {

        @Override
        public void sessionChanged() {}

        @Override
        public void beat() {}

        @Override
        public void refused(LockStoreException why) {}

        @Override
        public void departed(String name, Ticket ticket) {
            loop.departed(ticket);
        }
    }

    /** A mutex, for which something happens after it was looked what has been given back. */
    private final class Interrupted implements AdmissionRule {

        private final AdmissionRule mutex = AdmissionRule.permits(1);

        @Override
        public List<Ticket> blockers(Ticket mine, List<Ticket> ahead) {
            return mutex.blockers(mine, ahead);
        }

        @Override
        public List<Ticket> worthWatching(Ticket mine, List<Ticket> ahead) {
            meanwhile.run();
            return mutex.worthWatching(mine, ahead);
        }
    }

    private final class Told implements Attempt.Listener {

        @Override
        public void entered(Grant grant) {
            entered.add(grant);
        }

        @Override
        public void refused() {}

        @Override
        public void failed(RuntimeException reason) {
            throw reason;
        }

        @Override
        public void waiting() {}
    }

    /** That it departs is told as soon as the waiter has let go of its lock. */
    @Test
    void departed_ownPredecessorIsGivenBackMeanwhile_entersWithoutAQuestion() throws Exception {
        keeper.open();
        LiveSession live = Objects.requireNonNull(keeper.session());
        live.taken(NAME, own);
        loop.start();
        live.becameForemost(NAME, own);
        Thread other = new Thread(() -> live.giveBack(NAME, queue, own));
        meanwhile = () -> {
            meanwhile = () -> {};
            other.start();
            try {
                removing.await();
            } catch (InterruptedException interrupted) {
                throw new IllegalStateException(interrupted);
            }
        };

        loop.departed(second);
        other.join();

        assertThat(asked).doesNotContain("tickets");
        assertThat(entered).hasSize(1);
    }
}
