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

/**
 * A count in the notice of a queue that never has a ticket; no notice, no count.
 *
 * <p>A change is made by compare-and-set. When the reply is lost nobody knows whether it was made, so each leaves an id:
 * the notice keeps the last {@value #KEPT}, and how many changes there were. Who finds its id has counted. Who does not
 * find it has not, if there were no more changes since than are kept; and if the notice is another's by now, or gone, the
 * count that was meant has come to its end.
 */
final class NamedLatch implements DistributedLatch {

    private static final int KEPT = 64;
    private static final String COUNT = "count";
    private static final String LIFE = "life"; // of this count, from being set to being zero
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

    /** What the notice says; nothing of it is there when the latch is open. */
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

        /** One less, by the change of this id. */
        String countedDown(String id) {
            if (count() == 1) {
                return "";
            }
            List<String> kept = new ArrayList<>(ids());
            kept.add(id);
            List<String> last = kept.subList(Math.max(0, kept.size() - KEPT), kept.size());
            return form.with(COUNT, Long.toString(count() - 1))
                    .with(CHANGES, Long.toString(changes() + 1))
                    .with(IDS, String.join(" ", last))
                    .format();
        }
    }

    private State read() {
        return State.of(client.ask(queue, session -> session.queue(queue).notice()));
    }

    private boolean post(State seen, String text) {
        return client.ask(queue, session -> session.queue(queue).post(seen.seen(), text));
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
        while (true) {
            State now = read();
            if (now.count() > 0) {
                return now.life().equals(life);
            }
            try {
                if (post(now, text)) {
                    return true;
                }
            } catch (LockStoreException unknown) {
                if (read().life().equals(life)) {
                    return true;
                }
                throw unknown;
            }
        }
    }

    @Override
    public void countDown() {
        String id = UUID.randomUUID().toString().substring(0, 13);
        while (true) {
            State before = read();
            if (before.count() == 0) {
                return;
            }
            try {
                if (post(before, before.countedDown(id))) {
                    return;
                }
            } catch (LockStoreException unknown) {
                if (hasCounted(before, id)) {
                    return;
                }
            }
        }
    }

    private boolean hasCounted(State before, String id) {
        State now = read();
        if (now.ids().contains(id) || !now.life().equals(before.life())) {
            return true;
        }
        if (now.changes() - before.changes() >= KEPT) {
            throw new LockStoreException("latch '" + name + "': the reply to a count-down was lost, and so many others"
                    + " have counted since that nobody knows whether it counted");
        }
        return false;
    }

    @Override
    public long getCount() {
        return read().count();
    }

    @Override
    public void delete() {
        while (true) {
            State now = read();
            if (now.count() == 0 || post(now, "")) {
                return;
            }
        }
    }

    /** True when the count is zero. */
    private CompletableFuture<Boolean> opened() {
        QueueWait<Boolean> wait = new QueueWait<>(queue, client) {
            @Override
            CompletionStage<Optional<Boolean>> ask(LiveSession session, TicketQueue at) {
                return at.notice()
                        .thenApply(seen -> State.of(seen).count() == 0 ? Optional.of(true) : Optional.empty());
            }
        };
        return wait.start();
    }

    private CompletableFuture<Boolean> opened(long nanos) {
        CompletableFuture<Boolean> wait = opened();
        return Futures.limited(wait, nanos, client.time(), () -> wait.complete(false));
    }

    @Override
    public void await() throws InterruptedException {
        Door.throwIfInterrupted();
        Futures.await(opened());
    }

    @Override
    public boolean await(long timeout, TimeUnit unit) throws InterruptedException {
        Door.throwIfInterrupted();
        long nanos = unit.toNanos(timeout);
        return nanos <= 0 ? getCount() == 0 : Futures.await(opened(nanos));
    }

    @Override
    public CompletableFuture<Void> awaitAsync() {
        CompletableFuture<Boolean> opened = Futures.forUser(opened(), client.events(), open -> open);
        CompletableFuture<Void> users = opened.thenAccept(open -> {});
        users.whenComplete((done, failure) -> opened.cancel(false));
        return users;
    }

    @Override
    public CompletableFuture<Boolean> awaitAsync(Duration timeout) {
        return Futures.forUser(opened(Door.nanos(timeout)), client.events(), open -> open);
    }

    @Override
    public String toString() {
        return "DistributedLatch[" + name + "]";
    }
}
