package io.wellkeeper.testkit;

import io.wellkeeper.DistributedSemaphore;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.Permits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One schedule of a semaphore that is resized while some of its permits are held and others are waited for. Each holder
 * was admitted by the number of permits and by the tickets of other clients as they were at one moment: no holder gets in
 * because a client knows an older number beside a newer queue. A client knows of its own releases before the store does,
 * and may so use the number that it was told last, unless it has itself made the semaphore smaller since. When the faults
 * are over, and there are enough permits, all remaining waiters get theirs.
 */
final class SimulatedResize extends SimulatedSchedule {

    private enum Fault {
        CUT,
        PAUSE,
        FREEZE,
        RESTART,
        LOSE_REPLY,
        WAKE
    }

    private static final String NAME = "resized";
    private static final int MOST = 6; // permits
    private static final int TOLD_AT_MOST = 6; // tickets that the message about a departure names
    private static final int LOOKS = 4; // of the waiters while the number changes
    private static final int CHANGING = 600_000_000; // nanoseconds for changing the number, and for a release behind it
    private static final Duration SESSION = Duration.ofSeconds(10);
    private static final Duration STORE = Duration.ofSeconds(2);
    private static final Duration SOON = Duration.ofSeconds(1);
    private static final Duration QUIET = Duration.ofMinutes(1); // in which each waiter looks again more than once

    private final List<Fault> faults;
    private final List<Client> clients = new ArrayList<>();
    private final List<Wish> wishes = new ArrayList<>(); // neither granted nor given up yet
    private final Map<Wish, Permits> inside = new LinkedHashMap<>();
    // For each process and token, how many permits the other tickets of this process may have so that this one is
    // admitted.
    private final Map<SimulatedProcess, Map<Long, Integer>> room = new HashMap<>();
    private final Set<Long> admitted = new HashSet<>(); // the tokens of the admitted tickets
    private int size; // as read last from the notice
    private int largest; // the largest size so far
    private int sizes; // how often a new size was seen
    private boolean begun; // the random steps have begun, and are not over

    private record Client(SimulatedProcess process, LockClient locks, DistributedSemaphore semaphore) {}

    /** A request for permits; it stays the same object while it waits and while the permits are held. */
    private static final class Wish {

        private final Client client;
        private final CompletableFuture<?> asked;
        private long token = -1; // of the ticket

        Wish(Client client, CompletableFuture<?> asked) {
            this.client = client;
            this.asked = asked;
        }

        boolean isBy(Slip slip) {
            return client.process.owns(slip) && slip.token() == token;
        }
    }

    SimulatedResize(long seed) {
        super(seed, SESSION.multipliedBy(2));
        this.faults = random.nextInt(3) == 0 ? List.of() : some(random, Arrays.asList(Fault.values()));
        beSlow(200_000_000);
        if (random.nextBoolean()) {
            server.tellApart(); // so a client knows its own change before the store tells it
        }
        if (random.nextInt(3) == 0) {
            server.tellQueue(1 + random.nextInt(TOLD_AT_MOST));
        }
        int permits = 1 + random.nextInt(MOST);
        int count = 2 + random.nextInt(2);
        for (int i = 0; i < count; i++) {
            clients.add(newClient(permits));
        }
        server.witness(this::admit);
    }

    private Client newClient(int permits) {
        SimulatedProcess process = newProcess();
        LockClient locks = LockClient.over(
                process.store(), process.options(SESSION).storeTimeout(STORE).build());
        return new Client(process, locks, locks.semaphore(NAME, permits));
    }

    @Override
    void run() {
        clients.forEach(client -> wish(client, 1)); // so each client knows the store's size, and follows its changes
        while (!wishes.isEmpty()) {
            pass(SOON);
        }
        begun = true;
        beginPreemption();
        takeSteps(20 + random.nextInt(30));
        begun = false;
        healAll(all);
        pass(SESSION);
        resize(clients.get(0), MOST);
        List.copyOf(inside.keySet()).forEach(this::goOut); // from now on all others go out as soon as they are in
        pass(SESSION.plus(QUIET));
        if (!wishes.isEmpty()) {
            fail(wishes.size() + " still wait, while there is " + server.leftovers());
        }
        throwIfWrong();
        close();
    }

    @Override
    void step() {
        if (!begun) {
            return;
        }
        Client client = clients.get(random.nextInt(clients.size()));
        if (!faults.isEmpty() && random.nextInt(5) == 0) {
            strike(client.process);
        } else if (client.process.isRunning()) {
            switch (random.nextInt(8)) {
                case 0, 1, 2 -> wish(client, 1 + random.nextInt(Math.max(1, size)));
                case 3 -> oneOf(client).ifPresent(this::releaseSome);
                case 4, 5 -> oneOf(client).ifPresent(this::goOut);
                case 6 -> giveUp(client);
                default -> {
                    if (preemption.depth() == 0 && oneOf(client).isPresent()) {
                        resize(client, 1 + random.nextInt(random.nextInt(3) == 0 ? MOST : Math.max(1, size)));
                    }
                }
            }
        }
        look();
    }

    private void wish(Client client, int permits) {
        note("wish for " + permits, client.process);
        Duration timeout = Duration.ofMillis(random.nextInt(20_000));
        boolean timed = begun && random.nextInt(8) == 0;
        CompletableFuture<?> asked =
                timed ? client.semaphore.tryAcquireAsync(permits, timeout) : client.semaphore.acquireAsync(permits);
        Wish wish = new Wish(client, asked);
        wishes.add(wish);
        CompletableFuture<Optional<Permits>> answer = asked.thenApply(got ->
                got instanceof Optional<?> perhaps ? perhaps.map(Permits.class::cast) : Optional.of((Permits) got));
        answer.whenComplete((got, failure) -> answered(wish, got, timed, failure));
    }

    private void answered(Wish wish, @Nullable Optional<Permits> got, boolean timed, @Nullable Throwable failure) {
        wishes.remove(wish);
        if (failure != null) {
            Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
            boolean expected = cause instanceof CancellationException
                    || cause instanceof IllegalArgumentException // there are fewer permits by now
                    || (cause instanceof LockStoreException && timed);
            if (!expected) {
                fail("a wish has ended with " + cause);
            }
        } else if (got != null) {
            got.ifPresent(permits -> comeIn(wish, permits));
        }
    }

    private void comeIn(Wish wish, Permits got) {
        try {
            wish.token = wish.client.process.ask(got::fencingToken) >> 6;
        } catch (IllegalMonitorStateException lost) {
            return; // lost before the token was read
        }
        look();
        note("in by " + wish.token, wish.client.process);
        inside.put(wish, got);
        if (!admitted.contains(wish.token)) {
            fail("let in by the ticket with token " + wish.token + ", which was not admitted at any moment");
        }
        if (!begun) {
            goOut(wish);
        }
    }

    private Optional<Wish> oneOf(Client client) {
        return inside.keySet().stream()
                .filter(wish -> wish.client == client)
                .min((one, other) -> Long.compare(one.token, other.token));
    }

    private void goOut(Wish wish) {
        note("out by " + wish.token, wish.client.process);
        Permits held = inside.remove(wish);
        try {
            if (held != null) {
                held.close();
            }
        } catch (IllegalMonitorStateException lost) {
            // by one of the faults
        }
    }

    private void someGoesOut() {
        Client client = clients.get(random.nextInt(clients.size()));
        if (begun && client.process.isRunning()) {
            oneOf(client).ifPresent(this::goOut);
        }
    }

    private void releaseSome(Wish wish) {
        try {
            Permits held = inside.get(wish);
            if (held != null && held.count() > 1) {
                note("some of " + wish.token, wish.client.process);
                held.release(1);
            }
        } catch (IllegalMonitorStateException lost) {
            // by one of the faults
        }
    }

    private void giveUp(Client client) {
        wishes.stream().filter(wish -> wish.client == client).findFirst().ifPresent(wish -> wish.asked.cancel(false));
    }

    /** Resizes by a blocking call, after which the same client gives something back at once. */
    private void resize(Client client, int permits) {
        note("resize to " + permits, client.process);
        if (random.nextBoolean()) { // so the waiters look while the number changes and others go out
            for (int i = 0; i < LOOKS; i++) {
                time.schedule(Duration.ofNanos(random.nextInt(CHANGING)), server::wakeForNothing);
                time.schedule(Duration.ofNanos(random.nextInt(CHANGING)), this::someGoesOut);
            }
        }
        admit();
        int before = sizes;
        try {
            client.semaphore.resize(permits);
        } catch (LockStoreException unknown) {
            note("unknown: " + unknown.getMessage());
            return;
        }
        note("resized");
        if (sizes <= before + 1 && size == permits) { // else another client has changed the size too
            room.remove(client.process);
        }
        if (begun) {
            oneOf(client).ifPresent(this::goOut);
        }
    }

    private void strike(SimulatedProcess process) {
        Fault fault = faults.get(random.nextInt(faults.size()));
        if (preemption.depth() > 0 && (fault == Fault.PAUSE || fault == Fault.FREEZE)) {
            return;
        }
        note(fault.toString(), process);
        switch (fault) {
            case CUT -> toggle(process.isCut(), process::mend, process::cut);
            case PAUSE -> toggle(process.isPaused(), process::resume, process::pause);
            case FREEZE -> toggle(server.isFrozen(), server::unfreeze, server::freeze);
            case RESTART -> server.restart();
            case LOSE_REPLY -> server.loseNextReplyOfTake();
            case WAKE -> server.wakeForNothing();
        }
    }

    @Override
    void look() {
        admit();
        inside.entrySet().removeIf(one -> {
            SimulatedProcess process = one.getKey().client.process;
            return process.isRunning() && !process.ask(one.getValue()::isHeld);
        });
        judgeBound();
    }

    private void judgeBound() {
        int taken = inside.entrySet().stream()
                .filter(one -> one.getKey().client.process.isRunning())
                .mapToInt(one -> one.getKey().client.process.ask(one.getValue()::count))
                .sum();
        if (taken > largest) {
            fail(taken + " permits are taken, and there have never been more than " + largest);
        }
    }

    /**
     * Remembers which tickets are admitted now. A ticket that its own client has given back does not keep out other
     * waiters of this client.
     */
    private void admit() {
        int told = sizeIn(server.tickets().notice(NAME).text()).orElse(size);
        sizes += told == size ? 0 : 1;
        size = told;
        largest = Math.max(largest, told);
        List<Slip> slips = server.tickets().slips(NAME);
        for (Slip mine : slips) {
            SimulatedProcess process =
                    all.stream().filter(one -> one.owns(mine)).findFirst().orElseThrow();
            List<Slip> ahead = slips.stream().takeWhile(slip -> slip != mine).toList();
            int others = permits(ahead, slip -> !process.owns(slip));
            int own = permits(
                    ahead,
                    slip -> process.owns(slip) && inside.keySet().stream().anyMatch(wish -> wish.isBy(slip)));
            int now = size - others - mine.ticket().permits();
            if (own <= room.computeIfAbsent(process, first -> new HashMap<>()).merge(mine.token(), now, Math::max)) {
                admitted.add(mine.token());
            }
        }
    }

    private static int permits(List<Slip> slips, Predicate<Slip> which) {
        return slips.stream()
                .filter(which)
                .mapToInt(slip -> slip.ticket().permits())
                .sum();
    }

    @Override
    void goOn() {
        goOn(100, SESSION);
    }

    /** The notice with the number of permits may be left: if the semaphore was resized when no client used it. */
    private void close() {
        clients.forEach(client -> client.locks.close());
        pass(QUIET);
        failIfAnyIsLeft(server.leftovers().stream()
                .filter(what -> !what.startsWith("notice of "))
                .toList());
        failIfTasksAreLeft(all);
        throwIfWrong();
    }
}
