package io.wellkeeper.testkit;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockListener;
import io.wellkeeper.LockLostException;
import io.wellkeeper.LockOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * A few clients, a few locks, and faults, under simulated time and by one thread: the same seed gives the same run. After
 * every step at most one client believes that it holds a lock, and after the faults every acquisition ends.
 */
final class Simulation {

    private static final int CLIENTS = 3;
    private static final List<String> LOCKS = List.of("a", "b");
    private static final Duration SESSION = Duration.ofSeconds(6);

    private final Set<Special> special;
    private final Random random;
    private final SimulatedTime time = new SimulatedTime();
    private final InMemoryServer server = new InMemoryServer(time);
    private final List<InMemoryTicketStore> stores = new ArrayList<>();
    private final List<LockClient> clients = new ArrayList<>();
    private final List<LockHandle> held = new ArrayList<>();
    private final List<CompletableFuture<?>> pending = new ArrayList<>();
    private final long[] lastToken = new long[LOCKS.size()];
    private final List<String> history = new ArrayList<>();
    private final List<String> wrong = new ArrayList<>();
    private int granted;
    private int lost;
    private boolean frozen;

    /** What not every run has. */
    enum Special {
        /** Whoever looks at a queue is shown a ticket that has departed. */
        SHOWN_DEPARTED,
        /** An operator removes tickets of those who wait. */
        EVICTION
    }

    Simulation(long seed, Special... special) {
        this.special = Set.of(special);
        random = new Random(seed);
        server.delay(() -> Duration.ofMillis(random.nextInt(4)));
        if (this.special.contains(Special.SHOWN_DEPARTED)) {
            server.showDeparted();
        }
        LockOptions locks = LockOptions.builder()
                .handOvers(random.nextInt(4))
                .handOverTime(Duration.ofMillis(random.nextInt(100)))
                .retain(random.nextInt(3) == 0)
                .build();
        history.add("handOvers " + locks.handOvers() + ", retain " + locks.retain());
        for (int i = 0; i < CLIENTS; i++) {
            InMemoryTicketStore store = new InMemoryTicketStore(server);
            stores.add(store);
            clients.add(LockClient.over(
                    store,
                    ClientOptions.builder()
                            .clientName("client" + i)
                            .sessionTimeout(SESSION)
                            .lockDefaults(locks)
                            .listener(new LockListener() {
                                @Override
                                public void lost(String lock, Duration since, String reason) {
                                    lost++;
                                }
                            })
                            .time(time)
                            .callbackExecutor(time.executor())
                            .build()));
        }
        advance(50);
    }

    /** Runs so many random steps, heals everything, and looks whether all comes to an end. */
    void run(int steps) {
        for (int i = 0; i < steps; i++) {
            step();
            advance(random.nextInt(4) == 0 ? random.nextInt(3000) : random.nextInt(10));
        }
        heal();
        for (int i = 0; i < 400 && !(isSettled()); i++) {
            closeAll();
            advance(100);
        }
        advance(2 * (int) SESSION.toMillis()); // heartbeats that were held up grant little time
        check(isSettled(), "acquisitions that never end, while the server has " + server.leftovers());
        for (int i = 0; i < CLIENTS; i++) {
            String lock = LOCKS.get(random.nextInt(LOCKS.size()));
            history.add("last " + i + lock);
            CompletableFuture<LockHandle> last = clients.get(i).lock(lock).acquireAsync();
            advance(2000);
            check(
                    last.isDone() && last.join().isHeld(),
                    "client" + i + " cannot acquire '" + lock + "' any more: " + last + server.leftovers());
            last.join().close();
        }
        CompletableFuture<Void> closed = CompletableFuture.runAsync(() -> clients.forEach(LockClient::close));
        while (!closed.isDone()) {
            time.advance(Duration.ofMillis(1));
            Thread.onSpinWait();
        }
        closed.join();
        advance(100);
        check(server.leftovers().isEmpty(), "left: " + server.leftovers());
        check(time.pending() == 0, "left: " + time.pending() + " scheduled tasks");
    }

    int granted() {
        return granted;
    }

    int lost() {
        return lost;
    }

    private void step() {
        int who = random.nextInt(CLIENTS);
        int which = random.nextInt(LOCKS.size());
        String lock = LOCKS.get(which);
        switch (random.nextInt(20)) {
            case 0, 1, 2, 3 -> acquire(who, which);
            case 4, 5 -> tryAcquire(who, which, Duration.ofMillis(random.nextInt(500)));
            case 6, 7, 8, 9, 10 -> closeOne();
            case 11 -> cancelOne();
            case 12 -> act("cut " + who, stores.get(who)::cut);
            case 13, 14 -> act("mend " + who, stores.get(who)::mend);
            case 15, 16 -> act("lose reply", server::loseNextReplyOfTake);
            case 17 -> act("wake", server::wakeForNothing);
            case 18 -> {
                if (frozen) {
                    act("unfreeze", server::unfreeze);
                } else if (random.nextInt(3) == 0) {
                    act("freeze", server::freeze);
                    frozen = true;
                    return;
                }
                frozen = false;
            }
            default -> {
                if (special.contains(Special.EVICTION)
                        && server.queueLength(lock) > 1) { // no store can keep a holder from being removed by hand
                    int index = 1 + random.nextInt(server.queueLength(lock) - 1);
                    act("evict " + lock + " " + index, () -> server.removeTicket(lock, index));
                }
            }
        }
    }

    private void act(String what, Runnable action) {
        history.add(what);
        action.run();
    }

    private void acquire(int who, int which) {
        history.add("acquire " + who + LOCKS.get(which));
        CompletableFuture<LockHandle> future =
                clients.get(who).lock(LOCKS.get(which)).acquireAsync();
        pending.add(future);
        future.thenAccept(handle -> enter(handle, which));
    }

    private void tryAcquire(int who, int which, Duration timeout) {
        history.add("try " + who + LOCKS.get(which) + timeout);
        CompletableFuture<Optional<LockHandle>> future =
                clients.get(who).lock(LOCKS.get(which)).tryAcquireAsync(timeout);
        pending.add(future);
        future.thenAccept(handle -> handle.ifPresent(entered -> enter(entered, which)));
    }

    private void enter(LockHandle handle, int which) {
        granted++;
        held.add(handle);
        if (handle.isHeld()) {
            long token = handle.fencingToken();
            check(token > lastToken[which], "token " + token + " after " + lastToken[which]);
            lastToken[which] = token;
        }
        checkExclusion();
    }

    private void closeOne() {
        if (!held.isEmpty()) {
            history.add("close");
            close(held.remove(random.nextInt(held.size())));
        }
    }

    private void closeAll() {
        while (!held.isEmpty()) {
            close(held.remove(0));
        }
    }

    private void close(LockHandle handle) {
        try {
            handle.close();
        } catch (LockLostException expected) {
            check(!handle.isHeld(), "lost and held");
        }
    }

    private void cancelOne() {
        if (!pending.isEmpty()) {
            history.add("cancel");
            pending.get(random.nextInt(pending.size())).cancel(false);
        }
    }

    private void heal() {
        history.add("heal");
        server.unfreeze();
        stores.forEach(InMemoryTicketStore::mend);
    }

    private boolean isSettled() {
        return pending.stream().allMatch(CompletableFuture::isDone) && held.isEmpty();
    }

    private void advance(int millis) {
        for (int i = 0; i < millis; i++) {
            time.advance(Duration.ofMillis(1));
            checkExclusion();
        }
        pending.removeIf(CompletableFuture::isDone);
        check(server.violations().isEmpty(), server.violations().toString());
    }

    private void checkExclusion() {
        for (String lock : LOCKS) {
            long inside = held.stream()
                    .filter(handle -> handle.name().equals(lock) && handle.isHeld())
                    .count();
            check(inside <= 1, inside + " hold '" + lock + "' at once");
        }
    }

    /** Remembered first, because a future swallows what its dependents throw. */
    private void check(boolean sound, String message) {
        if (!sound) {
            wrong.add(message + "; " + history);
        }
        if (!wrong.isEmpty()) {
            throw new AssertionError(wrong.get(0));
        }
    }
}
