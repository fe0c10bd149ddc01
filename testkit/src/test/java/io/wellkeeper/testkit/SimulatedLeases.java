package io.wellkeeper.testkit;

import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockClientClosedException;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockLostException;
import io.wellkeeper.LockOptions;
import io.wellkeeper.LockStoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * One schedule of the simple lock over a store of leases: a few clients, and faults, under simulated time and by one thread,
 * as in {@link Simulation}. There are never two holders, tokens grow, and when the faults are over each waiter gets the
 * lock. The only client is never refused a lock that it has given back.
 */
final class SimulatedLeases extends SimulatedSchedule {

    private enum Fault {
        CUT,
        PAUSE,
        KILL,
        CLOSE,
        EXPIRE,
        FREEZE,
        RESTART,
        GIVE_UP
    }

    private static final String NAME = "leases";
    private static final Duration TTL = Duration.ofSeconds(3);
    private static final Duration STORE = Duration.ofSeconds(2);
    private static final Duration QUIET = Duration.ofSeconds(10);

    private final List<Fault> faults;
    private final LockOptions options;
    private final boolean once; // each lock is acquired for the length of one lease, which is not renewed
    private final List<Client> clients = new ArrayList<>();
    private final List<ListenerJudge> listeners = new ArrayList<>();
    private final List<Use> uses = new ArrayList<>();
    private final List<Asked> asked = new ArrayList<>();
    private @Nullable Client leaving; // this client is being closed, or was
    private boolean over;
    private int acquisitions; // begun so far
    private int open; // acquisitions that have not ended
    private boolean allGranted = true; // each acquisition so far was granted, unless it is open
    private int closing; // handles that are just being closed
    private long lastToken;

    private record Client(SimulatedProcess process, LeaseClient locks) {}

    private record Use(SimulatedProcess process, LockHandle handle) {

        boolean isHeld() {
            return process.isRunning() && process.ask(handle::isHeld);
        }
    }

    private record Asked(SimulatedProcess process, CompletableFuture<?> answer) {}

    SimulatedLeases(long seed) {
        super(seed, TTL.multipliedBy(2));
        this.faults = some(random, List.of(Fault.values()));
        beSlow(400_000_000);
        LockOptions.Builder some = LockOptions.builder().handOvers(random.nextInt(4));
        this.once = random.nextInt(3) == 0;
        this.options = some.build();
        int count = random.nextInt(5) == 0 ? 1 : 2 + random.nextInt(2);
        for (int i = 0; i < count; i++) {
            clients.add(newClient());
        }
    }

    private Client newClient() {
        SimulatedProcess process = newProcess();
        ListenerJudge listener = new ListenerJudge(process, this::fail);
        listeners.add(listener);
        return new Client(
                process,
                LeaseClient.over(
                        process.leases(),
                        process.options(TTL)
                                .storeTimeout(STORE)
                                .listener(listener)
                                .build()));
    }

    @Override
    void run() {
        beginPreemption();
        takeSteps(15 + random.nextInt(26));
        heal();
        settle();
        close();
    }

    @Override
    void step() {
        int who = random.nextInt(clients.size());
        Client client = clients.get(who);
        if (over || client == leaving) {
            return;
        }
        if (!faults.isEmpty() && random.nextInt(3) == 0) {
            strike(who, client);
        } else if (client.process().isRunning()) {
            int what = random.nextInt(8);
            if (what < 3) {
                acquire(client, Optional.empty());
            } else if (what < 5) {
                acquire(client, Optional.of(Duration.ofMillis(random.nextInt(4) == 0 ? 0 : random.nextInt(3_000))));
            } else {
                uses.stream()
                        .filter(use -> use.process() == client.process())
                        .findFirst()
                        .ifPresent(this::close);
            }
        }
    }

    private void acquire(Client client, Optional<Duration> timeout) {
        SimulatedProcess process = client.process();
        note(timeout.isPresent() ? "try" : "acquire", process);
        boolean free = timeout.isPresent() && timeout.get().isZero() && isFree();
        int number = ++acquisitions;
        open++;
        long began = time.nanoTime();
        CompletableFuture<? extends Optional<? extends LockHandle>> answer = timeout.isPresent()
                ? tryAcquire(client.locks(), timeout.get())
                : SimulatedMutex.view(acquire(client.locks()), Optional::of, LockHandle::close);
        asked.add(new Asked(process, answer));
        answer.whenComplete((handle, failure) -> {
            open--;
            if (handle != null && handle.isPresent()) {
                note("granted", process);
                entered(new Use(process, handle.get()));
            } else {
                boolean inTime = time.nanoTime() - began < STORE.toNanos();
                if (free && inTime && failure == null && number == acquisitions) {
                    fail("refused what nobody else can have");
                }
                allGranted = false;
                judgeEnd(timeout.isPresent(), failure);
            }
        });
    }

    /**
     * Whether the lock is certainly free: there was only one client, each of its requests was granted, and each handle
     * was closed. So no earlier request can still get the lock.
     */
    private boolean isFree() {
        return allGranted && all.size() == 1 && uses.isEmpty() && open == 0 && closing == 0;
    }

    private CompletableFuture<? extends LockHandle> acquire(LeaseClient locks) {
        return once
                ? locks.acquireLeaseAsync(NAME, TTL)
                : locks.lock(NAME, options).acquireAsync();
    }

    private CompletableFuture<? extends Optional<? extends LockHandle>> tryAcquire(
            LeaseClient locks, Duration timeout) {
        return once
                ? locks.tryAcquireLeaseAsync(NAME, TTL, timeout)
                : locks.lock(NAME, options).tryAcquireAsync(timeout);
    }

    private void entered(Use use) {
        uses.add(use);
        judge();
        if (use.isHeld()) {
            try {
                long token = preemption.without(() -> use.handle().fencingToken());
                if (token <= lastToken) {
                    fail("token " + token + " after " + lastToken);
                }
                lastToken = Math.max(token, lastToken);
            } catch (LockLostException late) {
                // its lease has just expired
            }
        }
    }

    private void judgeEnd(boolean tried, @Nullable Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        boolean expected = cause instanceof CancellationException
                || cause instanceof LockClientClosedException
                || (tried && (cause == null || cause instanceof LockStoreException));
        if (!expected) {
            fail("acquiring has ended with " + cause);
        }
    }

    private void judge() {
        List<Use> held = uses.stream().filter(Use::isHeld).toList();
        if (held.size() > 1) {
            fail(held.size() + " inside: " + held);
        }
    }

    private void close(Use use) {
        note("close", use.process());
        uses.remove(use);
        closing++;
        try {
            use.handle().close();
        } catch (LockLostException known) {
            note("it was lost", use.process());
        } finally {
            closing--;
        }
    }

    private void strike(int who, Client client) {
        SimulatedProcess process = client.process();
        Fault fault = faults.get(random.nextInt(faults.size()));
        if (preemption.depth() > 0
                && EnumSet.of(Fault.PAUSE, Fault.KILL, Fault.CLOSE, Fault.EXPIRE, Fault.FREEZE)
                        .contains(fault)) {
            return;
        }
        note(fault.toString(), process);
        switch (fault) {
            case CUT -> toggle(process.isCut(), process::mend, process::cut);
            case PAUSE -> toggle(process.isPaused(), process::resume, process::pause);
            case KILL -> {
                process.kill();
                leave(who, client);
            }
            case CLOSE -> {
                if (process.isWell() && !server.isFrozen()) {
                    leaving = client;
                    client.locks().close();
                    leave(who, client);
                }
            }
            case EXPIRE -> {
                if (uses.stream().noneMatch(use -> use.process() == process)
                        && asked.stream()
                                .allMatch(one ->
                                        one.process() != process || one.answer().isDone())) {
                    process.expireLeases();
                }
            }
            case FREEZE -> toggle(server.isFrozen(), server::unfreeze, server::freeze);
            case RESTART -> server.restart();
            case GIVE_UP ->
                asked.stream()
                        .filter(one -> one.process() == process && !one.answer().isDone() && process.isRunning())
                        .findFirst()
                        .ifPresent(one -> one.answer().cancel(false));
        }
    }

    private void leave(int who, Client client) {
        clients.set(who, newClient());
        uses.removeIf(use -> use.process() == client.process());
        asked.removeIf(one -> one.process() == client.process());
    }

    @Override
    void goOn() {
        goOn(300, TTL);
    }

    @Override
    void look() {
        judge();
    }

    private List<SimulatedProcess> living() {
        return clients.stream().map(Client::process).toList();
    }

    private void heal() {
        over = true;
        healAll(living());
        judge();
        throwIfWrong();
    }

    private void settle() {
        clients.forEach(client -> acquire(client, Optional.empty()));
        for (int i = 0;
                i <= asked.size()
                        && asked.stream().anyMatch(one -> !one.answer().isDone());
                i++) {
            pass(QUIET);
            List.copyOf(uses).forEach(this::close);
        }
        if (asked.stream().anyMatch(one -> !one.answer().isDone())) {
            fail("acquisitions that never end, while the server has " + server.leftovers());
        }
        List.copyOf(uses).forEach(this::close);
        throwIfWrong();
    }

    /** Closes the clients. If a process has died, its watch may be left at the server. */
    private void close() {
        pass(QUIET);
        List<String> left = server.leftovers().stream()
                .filter(what -> !what.startsWith("watch ") || all.stream().noneMatch(SimulatedProcess::isDead))
                .toList();
        failIfAnyIsLeft(left);
        clients.forEach(client -> client.locks().close());
        pass(QUIET);
        listeners.forEach(ListenerJudge::judgeEnd);
        failIfTasksAreLeft(living());
        throwIfWrong();
    }
}
