package io.wellkeeper.testkit;

import io.wellkeeper.LockClient;
import io.wellkeeper.LockClientClosedException;
import io.wellkeeper.LockStoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One schedule of a barrier, under simulated time and by one thread, as in {@link Simulation}. A party loses its
 * session and comes again, while another party that has seen it there is paused; then it is paused itself. Each party
 * that is through comes again at once. There are never more parties through than have come together.
 */
final class SimulatedReturn extends SimulatedSchedule {

    private static final String NAME = "return";
    private static final Duration SESSION = Duration.ofSeconds(60);
    private static final int SLOWEST = 4_000_000; // nanoseconds
    private static final int MOST_COME = 40;

    private final int parties;
    private final List<Client> clients = new ArrayList<>();
    private int come;
    private int through;
    private boolean unknown; // a party has failed that may have been through
    private boolean over;

    private record Client(SimulatedProcess process, LockClient locks) {}

    SimulatedReturn(long seed) {
        super(seed, SESSION);
        this.parties = 2 + random.nextInt(2);
        server.delay(() -> Duration.ofNanos(random.nextInt(SLOWEST)));
        if (random.nextBoolean()) {
            server.showEnded();
        }
        for (int i = 0; i < parties; i++) {
            clients.add(newClient());
        }
    }

    private Client newClient() {
        SimulatedProcess process = newProcess();
        return new Client(
                process,
                LockClient.over(process.store(), process.options(SESSION).build()));
    }

    @Override
    void run() {
        passUpTo(1_000);
        for (int i = 0; i < parties - 1; i++) {
            come(clients.get(i));
        }
        passUpTo(100);
        come(clients.get(parties - 1));
        int seen = random.nextInt(parties - 1);
        holdUp(clients.get(parties - 1), clients.get(seen));
        server.hideDeparted();
        pass(SESSION);
        over = true;
        settle();
        close();
    }

    /** Pauses a party as it comes, or a moment later. Meanwhile another one comes again, and is then paused itself. */
    private void holdUp(Client watcher, Client seen) {
        passUpTo(10);
        note("pause", watcher.process());
        watcher.process().pause();
        note("expire", seen.process());
        seen.process().expireSessions();
        passUpTo(150);
        note("pause", seen.process());
        seen.process().pause();
        passUpTo(10);
        note("resume", watcher.process());
        watcher.process().resume();
        passUpTo(100);
        note("resume", seen.process());
        seen.process().resume();
    }

    private void come(Client client) {
        note("come", client.process());
        come++;
        client.locks().barrier(NAME, parties).awaitAsync().whenComplete((missing, failure) -> {
            if (failure == null) {
                passed(client, missing);
            } else if (failure instanceof LockStoreException) {
                unknown = true; // none of the parties was left that knew whether it was through
            } else if (!(failure instanceof LockClientClosedException)) {
                fail("a party has ended with " + failure);
            }
        });
    }

    private void passed(Client client, @Nullable Integer missing) {
        note("through, as " + missing, client.process());
        through++;
        if (through > come / parties * parties) {
            fail(through + " are through, when " + come + " have come, for " + parties);
        }
        if (!over && come < MOST_COME) {
            come(client);
        }
    }

    /** Lets so many more parties come that none is left waiting. */
    private void settle() {
        while (come % parties != 0) {
            come(clients.get(random.nextInt(parties)));
        }
        pass(SESSION);
        if (through != come && !unknown) {
            fail("of " + come + " that have come " + through + " are through");
        }
        throwIfWrong();
    }

    private void close() {
        clients.forEach(client -> client.locks().close());
        pass(SESSION);
        failIfAnyIsLeft(server.leftovers());
        failIfTasksAreLeft(clients.stream().map(Client::process).toList());
        throwIfWrong();
    }

    private void passUpTo(int millis) {
        pass(Duration.ofNanos(random.nextLong(millis * 1_000_000L)));
    }

    @Override
    void step() {
        // all steps are in run()
    }

    @Override
    void goOn() {
        // there are no random steps
    }
}
