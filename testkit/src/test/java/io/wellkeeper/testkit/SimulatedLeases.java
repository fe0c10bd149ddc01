package io.wellkeeper.testkit;

import io.wellkeeper.ClientOptions;
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
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One schedule of the simple lock over a store of leases: a few clients, and faults, under simulated time and by one thread,
 * as in {@link Simulation}. Never are two inside, tokens grow, and when the faults are over everybody gets in.
 */
final class SimulatedLeases implements SimulatedSchedule {

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
    private static final int ENDLESS = 50_000; // events

    private final SplittableRandom random;
    private final SimulatedTime time = new SimulatedTime();
    private final InMemoryServer server = new InMemoryServer(time);
    private final Preemption preemption;
    private final List<Fault> faults = new ArrayList<>();
    private final LockOptions options;
    private final boolean once; // no lease is renewed
    private final List<Client> clients = new ArrayList<>();
    private final List<SimulatedProcess> all = new ArrayList<>();
    private final List<Use> uses = new ArrayList<>();
    private final List<Asked> asked = new ArrayList<>();
    private final List<String> words = new ArrayList<>();
    private @Nullable String wrong; // what was seen first
    private @Nullable Client leaving; // it is being closed, or was
    private boolean over;
    private long lastToken;
    private int events;

    private record Client(SimulatedProcess process, LeaseClient locks) {}

    private record Use(SimulatedProcess process, LockHandle handle) {

        boolean isHeld() {
            return process.isRunning() && process.ask(handle::isHeld);
        }
    }

    private record Asked(SimulatedProcess process, CompletableFuture<?> answer) {}

    SimulatedLeases(long seed) {
        this.random = new SplittableRandom(seed);
        for (Fault fault : Fault.values()) {
            if (random.nextInt(3) == 0) {
                faults.add(fault);
            }
        }
        if (random.nextInt(3) == 0) {
            server.tellApart();
        }
        int slow = random.nextInt(4) == 0 ? 400_000_000 : 4_000_000;
        server.delay(() -> Duration.ofNanos(random.nextInt(slow)));
        LockOptions.Builder some = LockOptions.builder().handOvers(random.nextInt(4));
        this.once = random.nextInt(3) == 0;
        this.options = some.build();
        this.preemption = new Preemption(random, TTL.multipliedBy(2), new OtherThreads());
        int count = 2 + random.nextInt(2);
        for (int i = 0; i < count; i++) {
            clients.add(newClient());
        }
    }

    private Client newClient() {
        SimulatedProcess process = new SimulatedProcess(time, server, random, store -> store, preemption, this::fail);
        all.add(process);
        return new Client(
                process,
                LeaseClient.over(
                        process.leases(),
                        ClientOptions.builder()
                                .sessionTimeout(TTL)
                                .storeTimeout(STORE)
                                .closeTimeout(Duration.ZERO)
                                .time(process)
                                .callbackExecutor(process.executor())
                                .build()));
    }

    @Override
    public List<String> words() {
        return words;
    }

    private void note(String what, SimulatedProcess who) {
        words.add(
                String.format("%12.6f  %s %d  %s", time.nanoTime() / 1e9, what, all.indexOf(who), server.leftovers()));
    }

    private void fail(String what) {
        words.add("WRONG: " + what);
        wrong = wrong == null ? what : wrong;
    }

    private void throwIfWrong() {
        if (wrong == null && !server.violations().isEmpty()) {
            fail(server.violations().toString());
        }
        if (wrong != null) {
            throw new AssertionError(wrong);
        }
    }

    @Override
    public void run() {
        if (random.nextBoolean()) {
            preemption.begin(1 << (3 + random.nextInt(6)));
        }
        int steps = 15 + random.nextInt(26);
        for (int i = 0; i < steps; i++) {
            step();
            goOn();
        }
        heal();
        settle();
        close();
    }

    private void step() {
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
        CompletableFuture<? extends Optional<? extends LockHandle>> answer = timeout.isPresent()
                ? tryAcquire(client.locks(), timeout.get())
                : SimulatedMutex.view(acquire(client.locks()), Optional::of);
        asked.add(new Asked(process, answer));
        answer.whenComplete((handle, failure) -> {
            if (handle != null && handle.isPresent()) {
                note("granted", process);
                entered(new Use(process, handle.get()));
            } else {
                judgeEnd(timeout.isPresent(), failure);
            }
        });
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
                // its time has come to an end just now
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
        try {
            use.handle().close();
        } catch (LockLostException known) {
            note("it was lost", use.process());
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

    private static void toggle(boolean is, Runnable end, Runnable begin) {
        if (is) {
            end.run();
        } else {
            begin.run();
        }
    }

    /** Lets some time pass: a few events, a while, or long enough for a lease to end. */
    private void goOn() {
        int how = random.nextInt(20);
        if (how < 12) {
            int most = random.nextInt(10);
            for (int i = 0; i < most && next(Duration.ofMillis(5)); i++) {}
        } else if (how < 18) {
            pass(Duration.ofMillis(random.nextInt(300)));
        } else {
            pass(TTL.multipliedBy(random.nextInt(200)).dividedBy(100));
        }
        throwIfWrong();
    }

    private boolean next(Duration within) {
        boolean more = time.advanceToNext(within);
        look();
        return more;
    }

    private void look() {
        if (++events > ENDLESS) {
            throw new AssertionError("it goes round in circles");
        }
        judge();
    }

    private void pass(Duration duration) {
        long end = time.nanoTime() + duration.toNanos();
        while (next(Duration.ofNanos(Math.max(0, end - time.nanoTime())))) {}
        time.advance(Duration.ofNanos(Math.max(0, end - time.nanoTime())));
    }

    private void heal() {
        words.add("heal");
        over = true;
        preemption.end();
        if (server.isFrozen()) {
            server.unfreeze();
        }
        for (Client client : clients) {
            if (client.process().isPaused()) {
                client.process().resume();
            }
            if (client.process().isCut()) {
                client.process().mend();
            }
        }
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

    /** Watches end with the connection, and that of a process that has died stays. */
    private void close() {
        pass(QUIET);
        List<String> left = server.leftovers().stream()
                .filter(what -> !what.startsWith("watch ") || all.stream().noneMatch(SimulatedProcess::isDead))
                .toList();
        if (!left.isEmpty()) {
            fail("left: " + left);
        }
        clients.forEach(client -> client.locks().close());
        pass(QUIET);
        int pending =
                clients.stream().mapToInt(client -> client.process().pending()).sum();
        if (pending > 0) {
            fail("left: " + pending + " scheduled tasks");
        }
        throwIfWrong();
    }

    /** What the other threads do while one is held up. */
    private final class OtherThreads implements Preemption.Others {

        @Override
        public boolean next(Duration within) {
            boolean more = undisturbing(() -> time.interleave(within));
            look();
            return more;
        }

        private boolean undisturbing(BooleanSupplier work) {
            try {
                return work.getAsBoolean();
            } catch (RuntimeException | AssertionError thrown) {
                fail(thrown.toString());
                return false;
            }
        }

        @Override
        public void schedule(Duration delay, Runnable work) {
            time.schedule(delay, work);
        }

        @Override
        public void act(SimulatedProcess perhaps) {
            act();
        }

        @Override
        public void act() {
            undisturbing(() -> {
                step();
                return true;
            });
        }
    }
}
