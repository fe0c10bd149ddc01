package io.wellkeeper.testkit;

import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockOptions;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One schedule of a queue at a lock without faults, though threads are held up. The tickets of two clients alternate,
 * one or two of a client at a time. So each ticket ahead is watched, or is known by another waiter of the same client,
 * and no client has to ask the store for the queue.
 */
final class SimulatedLine extends SimulatedSchedule {

    private static final String NAME = "line";
    private static final Duration LONGEST = Duration.ofMillis(200); // for which a thread is held up
    // long enough for the answers to a few requests, and for callbacks
    private static final Duration QUIET = Duration.ofSeconds(2);
    private static final int ROUNDS = 100; // steps at most with threads that are held up

    private final List<LockClient> clients = new ArrayList<>();
    private final List<CompletableFuture<LockHandle>> line = new ArrayList<>();
    private final Deque<LockHandle> held = new ArrayDeque<>();
    private int entered;

    SimulatedLine(long seed) {
        super(seed, LONGEST);
        beSlow(50_000_000);
        for (int i = 0; i < 2; i++) {
            clients.add(newClient());
        }
    }

    private LockClient newClient() {
        SimulatedProcess process = newProcess();
        return LockClient.over(
                process.store(),
                process.options(Duration.ofMinutes(10)) // heartbeats are rare, because some ask for the queue
                        .lockDefaults(LockOptions.builder().handOvers(0).build())
                        .build());
    }

    @Override
    void run() {
        int turns = 2 + random.nextInt(4);
        for (int turn = 0; turn < turns; turn++) {
            int tickets = 1 + random.nextInt(2);
            for (int i = 0; i < tickets; i++) {
                queue(turn % 2);
            }
        }
        preemption.begin(2 + random.nextInt(8));
        for (int i = 0; i < ROUNDS && entered < line.size(); i++) {
            takeSteps(1);
        }
        preemption.end();
        for (int i = 0; i < line.size(); i++) { // at most so many are still to enter
            pass(QUIET);
            step();
        }
        if (entered < line.size()) {
            fail("asleep, while the server has " + server.leftovers());
        }
        throwIfWrong();
        close();
    }

    private void queue(int who) {
        note("acquire", all.get(who));
        CompletableFuture<LockHandle> acquired =
                clients.get(who).lock(NAME).acquireAsync().toCompletableFuture();
        line.add(acquired);
        acquired.thenAccept(handle -> {
            note("granted", all.get(who));
            entered++;
            held.add(handle);
        });
        pass(QUIET);
    }

    /** The holder releases the lock. */
    @Override
    void step() {
        @Nullable LockHandle first = held.poll();
        if (first != null) {
            note("close");
            first.close();
        }
    }

    @Override
    void look() {
        if (server.requests(Request.TICKETS) > 0) {
            fail("asked for the queue, which was known");
        }
    }

    @Override
    void goOn() {
        goOn(100, LONGEST);
    }

    private void close() {
        pass(QUIET);
        clients.forEach(LockClient::close);
        pass(QUIET);
        failIfAnyIsLeft(server.leftovers());
        failIfTasksAreLeft(all);
        throwIfWrong();
    }
}
