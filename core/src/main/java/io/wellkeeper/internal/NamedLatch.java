package io.wellkeeper.internal;

import io.wellkeeper.DistributedLatch;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.TicketQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A count in the notice of a queue that never has a ticket. If there is no notice, there is no count.
 *
 * <p>A change is made by compare-and-set. When its reply is lost, nobody knows whether it was made. So each change
 * leaves an id: the notice keeps the last {@value #KEPT} ids, and the number of changes. A countdown that finds its id
 * has been made. If it does not find its id, it has not been made, provided that no more changes than are kept came
 * since. If the notice is of another count by now, or gone, the count that was meant has come to its end. A call that
 * has set a count, and finds neither this count nor the notice that was there before, does not know whether it was set:
 * the count may have come to its end.
 */
final class NamedLatch implements DistributedLatch {

    private static final int KEPT = 64;
    private static final String COUNT = "count";
    private static final String LIFE = "life"; // an id of this count, from when it is set until it is zero
    private static final String CHANGES = "changes";
    private static final String IDS = "ids";

    private final String name;
    private final String queue;
    private final TicketClient client;

    NamedLatch(String name, TicketClient client) {
        this.name = name;
        this.queue = InternalNames.latch(name);
        this.client = client;
    }

    @Override
    public String name() {
        return name;
    }

    /** The content of the notice, which is empty when the latch is open. */
    private record State(Notice seen, NoticeForm form) {

        static State of(Notice seen) {
            return new State(seen, NoticeForm.parse(seen.text()));
        }

        long count() {
            return number(COUNT);
        }

        String life() {
            return form.get(LIFE).orElse("");
        }

        long changes() {
            return number(CHANGES);
        }

        boolean isOtherThan(State earlier) {
            return !life().equals(earlier.life());
        }

        private long number(String key) {
            try {
                return Long.parseLong(form.get(key).orElse("0"));
            } catch (NumberFormatException foreign) {
                return 0;
            }
        }

        List<String> ids() {
            return Arrays.asList(form.get(IDS).orElse("").split(" "));
        }

        /** The text of the notice after this change, with the id of the change; empty if the count is then zero. */
        String countedDown(int times, String id) {
            if (count() <= times) {
                return "";
            }
            List<String> kept = new ArrayList<>(ids());
            kept.add(id);
            List<String> last = kept.subList(Math.max(0, kept.size() - KEPT), kept.size());
            return form.with(COUNT, Long.toString(count() - times))
                    .with(CHANGES, Long.toString(changes() + 1))
                    .with(IDS, String.join(" ", last))
                    .format();
        }
    }

    private State read() {
        return State.of(client.ask(queue, session -> session.queue(queue).notice()));
    }

    /** How a change has ended. */
    enum Outcome {
        DONE,
        REFUSED,
        UNKNOWN
    }

    /** How a change ends: at once, or as soon as this text is posted. */
    private record Step(Outcome outcome, Optional<String> text) {

        static Step end(Outcome outcome) {
            return new Step(outcome, Optional.empty());
        }

        static Step post(String text) {
            return new Step(Outcome.DONE, Optional.of(text));
        }
    }

    /** Decides about the next step. */
    private interface Change {

        /**
         * @param now what the notice says
         * @param lost what the notice said when a text was posted whose reply was lost; null if there is none
         */
        Step next(State now, @Nullable State lost);
    }

    /** Makes a change, and waits for its end; false if it is refused. */
    private boolean make(Change change) {
        return await(begin(change));
    }

    /** Makes a change, once, though the store may be asked more than once. */
    private CompletableFuture<Outcome> begin(Change change) {
        AtomicReference<@Nullable State> lost = new AtomicReference<>();
        return client.insist(queue, true, (session, isOver) -> {
            TicketQueue at = session.queue(queue);
            return at.notice().thenCompose(seen -> {
                if (isOver.getAsBoolean()) {
                    return CompletableFuture.completedFuture(Optional.empty());
                }
                State now = State.of(seen);
                Step step = change.next(now, lost.get());
                return step.text.isEmpty()
                        ? CompletableFuture.completedFuture(Optional.of(step.outcome))
                        : post(at, now, step.text.get(), lost)
                                .thenApply(done -> done ? Optional.of(step.outcome) : Optional.empty());
            });
        });
    }

    private boolean await(CompletableFuture<Outcome> change) {
        Outcome outcome = client.await(change);
        if (outcome == Outcome.UNKNOWN) {
            throw new LockStoreException("latch '" + name + "': the reply to a change was lost, and so much has changed"
                    + " since that nobody knows whether it was made");
        }
        return outcome == Outcome.DONE;
    }

    private static CompletionStage<Boolean> post(
            TicketQueue at, State now, String text, AtomicReference<@Nullable State> lost) {
        CompletionStage<Boolean> posted = Calls.stage(() -> at.post(now.seen, text));
        return posted.whenComplete((done, failure) -> {
            if (failure != null) {
                lost.set(now); // the post before this one was not made, or this one would not be needed
            }
        });
    }

    @Override
    public boolean trySetCount(long count) {
        if (count < 1) {
            throw new IllegalArgumentException("latch '" + name + "': a count of " + count + "; at least 1 is allowed");
        }
        String life = UUID.randomUUID().toString();
        String text = NoticeForm.EMPTY
                .with(COUNT, Long.toString(count))
                .with(LIFE, life)
                .format();
        return make((now, lost) -> {
            if (now.life().equals(life)) {
                return Step.end(Outcome.DONE);
            }
            if (lost != null && lost.seen().version() != now.seen().version()) {
                return Step.end(Outcome.UNKNOWN); // it may be over
            }
            return now.count() > 0 ? Step.end(Outcome.REFUSED) : Step.post(text);
        });
    }

    /**
     * Threads of this client that count down while an earlier change is under way are served by one joint change. If
     * each made its own, most would find again and again that another was faster.
     */
    @Override
    public void countDown() {
        await(client.question(client.countDowns().ask(queue, this::countDown), () -> null));
    }

    /** @param threads how many threads count down that have not given up by now */
    private CompletableFuture<Outcome> countDown(IntSupplier threads) {
        String id = UUID.randomUUID().toString().substring(0, 13);
        return begin((now, lost) -> {
            int times = threads.getAsInt();
            boolean isOver = times == 0 || now.count() == 0;
            if (isOver || now.ids().contains(id) || (lost != null && now.isOtherThan(lost))) {
                return Step.end(Outcome.DONE);
            }
            boolean mayBeForgotten = lost != null && now.changes() - lost.changes() >= KEPT;
            return mayBeForgotten ? Step.end(Outcome.UNKNOWN) : Step.post(now.countedDown(times, id));
        });
    }

    @Override
    public long getCount() {
        return read().count();
    }

    @Override
    public void delete() {
        make((now, lost) ->
                now.count() == 0 || (lost != null && now.isOtherThan(lost)) ? Step.end(Outcome.DONE) : Step.post(""));
    }

    /** Waits until the count is zero, or is another count than the one found first, which then was zero meanwhile. */
    private QueueWait<Boolean> opened() {
        return new QueueWait<>(queue, client) {
            private volatile @Nullable State first;

            /**
             * The first look is a question of its own, put before all later requests of the caller: by then the count
             * may be set anew.
             */
            @Override
            CompletionStage<Optional<Boolean>> ask(LiveSession session, TicketQueue at) {
                CompletionStage<Notice> shown = first == null ? at.notice() : session.notice(queue);
                return shown.thenApply(seen -> isOpen(State.of(seen)) ? Optional.of(true) : Optional.empty());
            }

            private boolean isOpen(State now) {
                State before = first;
                first = before == null ? now : before;
                return now.count() == 0 || (before != null && now.isOtherThan(before));
            }
        };
    }

    private CompletableFuture<Boolean> opened(long nanos) {
        return opened().start(nanos, wait -> wait.complete(false));
    }

    @Override
    public void await() throws InterruptedException {
        Door.throwIfInterrupted();
        Futures.await(opened().start());
    }

    @Override
    public boolean await(long timeout, TimeUnit unit) throws InterruptedException {
        Door.throwIfInterrupted();
        long nanos = unit.toNanos(timeout);
        return nanos <= 0 ? getCount() == 0 : Futures.await(opened(nanos));
    }

    @Override
    public CompletableFuture<Void> awaitAsync() {
        return Futures.forUser(opened().start(), client.events());
    }

    @Override
    public CompletableFuture<Boolean> awaitAsync(Duration timeout) {
        return Futures.forUser(opened(Door.nanos(timeout)), client.events(), open -> open);
    }

    @Override
    public String toString() {
        return client.describe(DistributedLatch.class, name);
    }
}
