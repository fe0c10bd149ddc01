package io.wellkeeper.testkit;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.LeaderElection;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockOptions;
import io.wellkeeper.MultiLockHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * One schedule of a client whose callbacks do not run for a long time, as when one of them waits for another client.
 * When the user of this client gives up the lock, or releases it to wait for a condition, the other client soon gets
 * it.
 */
final class SimulatedBusy extends SimulatedSchedule {

    private static final String NAME = "busy";
    private static final Duration SESSION = Duration.ofSeconds(60);
    private static final Duration LONGEST = Duration.ofMillis(200); // for which a thread is held up
    private static final Duration BUSY = Duration.ofMinutes(10);
    // long enough for the answers to a few requests, and for callbacks
    private static final Duration QUIET = Duration.ofSeconds(2);

    private final SimulatedProcess busy;
    private final LockClient mine;
    private final LockClient others;
    private final List<Runnable> script = new ArrayList<>(); // the steps that are still to be done
    // steps that may be left when no thread is held up any more
    private final List<Runnable> atLast = new ArrayList<>();
    private final List<CompletableFuture<LockHandle>> waits = new ArrayList<>(); // for a signal that never comes

    SimulatedBusy(long seed) {
        super(seed, LONGEST);
        beSlow(50_000_000);
        this.busy = newProcess();
        this.mine = newClient(busy);
        this.others = newClient(newProcess());
    }

    private LockClient newClient(SimulatedProcess process) {
        return LockClient.over(
                process.store(),
                process.options(SESSION)
                        .lockDefaults(LockOptions.builder()
                                .handOvers(random.nextInt(3))
                                .retain(random.nextBoolean())
                                .build())
                        .build());
    }

    @Override
    void run() {
        pass(QUIET);
        if (random.nextBoolean()) {
            visit(mine); // may retain the ticket
        }
        switch (random.nextInt(5)) {
            case 0 -> giveUp(() -> mine.lock(NAME).acquireAsync(), LockHandle::close);
            case 1 -> giveUp(() -> mine.all(NAME, NAME + "/2").acquireAsync(), MultiLockHandle::close);
            case 2 -> giveUp(() -> mine.lock(NAME).withLockAsync(CompletableFuture::completedFuture), released -> {});
            case 3 -> resign();
            default -> await();
        }
        script.add(random.nextInt(script.size() + 1), this::beginToBeBusy);
        beginPreemption();
        while (!script.isEmpty()) {
            takeSteps(1);
        }
        preemption.end();
        atLast.forEach(Runnable::run);
        visit(others);
        pass(BUSY);
        waits.forEach(one -> one.cancel(false));
        visit(mine);
        close();
    }

    private void beginToBeBusy() {
        note("busy", busy);
        busy.keepCallbacksBusy(BUSY);
    }

    /** Makes up to three requests, the first of which may be granted, and gives all of them up. */
    private <T> void giveUp(Supplier<CompletableFuture<T>> acquire, Consumer<T> close) {
        int count = 1 + random.nextInt(3);
        List<CompletableFuture<T>> asked = new ArrayList<>();
        script.addAll(Collections.nCopies(count, () -> asked.add(acquire.get())));
        Runnable giveUp = () -> {
            if (!asked.isEmpty()) { // none was made yet if the thread of the first is held up
                CompletableFuture<T> one = asked.remove(0);
                if (!one.cancel(false)) {
                    one.thenAccept(close); // the thread that completes it may be held up
                }
            }
        };
        script.addAll(Collections.nCopies(count, giveUp));
        atLast.addAll(Collections.nCopies(count, giveUp));
    }

    private void resign() {
        LeaderElection election = mine.election(NAME, new LeaderElection.Listener() {
            @Override
            public void elected(long fencingToken) {
                note("elected", busy);
            }

            @Override
            public void deposed(String reason) {
                note("deposed", busy);
            }
        });
        script.add(election::campaign);
        script.add(election::resign);
        atLast.add(election::resign); // it may have come before the campaign, if who begins that is held up
    }

    private void await() {
        DistributedLock lock = mine.lock(NAME);
        CompletableFuture<LockHandle> held = lock.acquireAsync();
        pass(QUIET);
        script.add(() -> waits.add(lock.newCondition("c").awaitAsync(held.join())));
    }

    /** Acquires the lock, which must take only a short time, and gives it back. */
    private void visit(LockClient client) {
        CompletableFuture<LockHandle> visit = client.lock(NAME).acquireAsync();
        pass(QUIET);
        if (!visit.isDone()) {
            fail("kept out, while the server has " + server.leftovers());
            throwIfWrong();
        }
        visit.join().close();
        pass(QUIET);
    }

    @Override
    void step() {
        if (!script.isEmpty()) {
            note("step");
            preemption.often(script.remove(0));
        }
    }

    @Override
    void goOn() {
        goOn(100, LONGEST);
    }

    private void close() {
        mine.close();
        others.close();
        pass(QUIET);
        failIfAnyIsLeft(server.leftovers());
        failIfTasksAreLeft(all);
        throwIfWrong();
    }
}
