package io.wellkeeper.testkit;

import io.wellkeeper.DistributedSemaphore;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockClientClosedException;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.Permits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * One schedule of a semaphore with a crowd of waiters in one client, some of which have no tickets yet, and a few
 * waiters in another client: with faults, or without any. There are never more permits held than the semaphore has.
 * When the faults are over, all waiters who still want permits get them. Without faults the waiters are served in the
 * order in which they came.
 */
final class SimulatedCrowd extends SimulatedSchedule {

    private enum Fault {
        CUT,
        PAUSE,
        KILL,
        CLOSE,
        FREEZE,
        RESTART,
        LOSE_REPLY,
        WAKE
    }

    private static final String NAME = "crowd";
    private static final int NUMBERED = 128; // waiters of one client have tickets at most
    private static final Duration SESSION = Duration.ofSeconds(10);
    private static final Duration QUIET = Duration.ofMinutes(1); // in which each waiter looks again more than once

    private final List<Fault> faults;
    private final boolean calm; // there are no faults, and no thread is held up
    private final int permits;
    private final List<Client> clients = new ArrayList<>(); // the first is the one with the crowd
    private final List<Wish> wishes = new ArrayList<>(); // neither granted nor given up yet
    private final List<Wish> inside = new ArrayList<>();
    private int wished;
    private int lastOfCrowd; // the number of the wish of the crowd that was granted last
    private @Nullable Client leaving; // this client is being closed, or was
    private boolean begun; // the random steps have begun, and are not over

    private record Client(SimulatedProcess process, LockClient locks) {}

    private record Wish(
            int number,
            SimulatedProcess process,
            int permits,
            CompletableFuture<?> asked,
            CompletableFuture<Optional<Permits>> answer) {}

    SimulatedCrowd(long seed) {
        super(seed, SESSION.multipliedBy(2));
        this.permits = random.nextInt(3) == 0 ? 1 : 1 + random.nextInt(6);
        this.faults = random.nextInt(4) == 0 ? List.of() : some(random, Arrays.asList(Fault.values()));
        this.calm = faults.isEmpty() && random.nextBoolean();
        beSlow(50_000_000);
        clients.add(newClient());
        clients.add(newClient());
    }

    private Client newClient() {
        SimulatedProcess process = newProcess();
        LockClient locks =
                LockClient.over(process.store(), process.options(SESSION).build());
        return new Client(process, locks);
    }

    @Override
    void run() {
        begun = true;
        for (int i = NUMBERED + random.nextInt(NUMBERED / 2); i > 0; i--) {
            wish(clients.get(0));
        }
        if (!calm) {
            beginPreemption();
        }
        takeSteps(10 + random.nextInt(20));
        begun = false;
        healAll(living());
        List.copyOf(inside).forEach(this::goOut); // from now on all others go out as soon as they are in
        pass(SESSION.plus(QUIET));
        if (!wishes.isEmpty()) {
            fail(wishes.size() + " still wait, while there is a " + serverInWords());
        }
        throwIfWrong();
        close();
    }

    private List<SimulatedProcess> living() {
        return clients.stream().map(Client::process).toList();
    }

    @Override
    void step() {
        if (!begun) {
            return;
        }
        int who = random.nextInt(5) / 4;
        Client client = clients.get(who);
        if (!faults.isEmpty() && random.nextInt(4) == 0) {
            strike(who, client);
        } else if (client.process().isRunning() && client != leaving) {
            switch (random.nextInt(3)) {
                case 0 -> giveUp(client);
                case 1 ->
                    List.copyOf(inside).stream()
                            .filter(wish -> wish.process() == client.process())
                            .forEach(this::goOut);
                default -> wish(client);
            }
        }
    }

    private void wish(Client client) {
        int number = ++wished;
        note("wish " + number, client.process());
        int some = 1 + random.nextInt(permits);
        boolean timed = random.nextInt(8) == 0;
        Duration timeout = Duration.ofMillis(random.nextInt(20_000));
        DistributedSemaphore semaphore = client.locks().semaphore(NAME, permits);
        CompletableFuture<?> asked = timed ? semaphore.tryAcquireAsync(some, timeout) : semaphore.acquireAsync(some);
        CompletableFuture<Optional<Permits>> answer = asked.thenApply(got ->
                got instanceof Optional<?> perhaps ? perhaps.map(Permits.class::cast) : Optional.of((Permits) got));
        Wish wish = new Wish(number, client.process(), some, asked, answer);
        wishes.add(wish);
        answer.whenComplete((got, failure) -> answered(wish, got, timed, failure));
    }

    private void answered(Wish wish, @Nullable Optional<Permits> got, boolean timed, @Nullable Throwable failure) {
        wishes.remove(wish);
        if (failure != null) {
            Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
            boolean expected = cause instanceof CancellationException
                    || cause instanceof LockClientClosedException
                    || (cause instanceof LockStoreException && timed && !calm);
            if (!expected) {
                fail("wish " + wish.number() + " has ended with " + cause);
            }
        } else if (got != null && got.isPresent()) {
            comeIn(wish);
        }
    }

    private void comeIn(Wish wish) {
        note("in: " + wish.number(), wish.process());
        inside.add(wish);
        if (calm && permits == 1 && wish.process() == clients.get(0).process()) {
            if (wish.number() < lastOfCrowd) {
                fail(wish.number() + " comes in behind " + lastOfCrowd);
            }
            lastOfCrowd = wish.number();
        }
        if (!begun) {
            goOut(wish);
        }
    }

    private void goOut(Wish wish) {
        note("out: " + wish.number(), wish.process());
        inside.remove(wish);
        try {
            wish.answer().join().orElseThrow().close();
        } catch (IllegalMonitorStateException lost) {
            // by one of the faults
        }
    }

    /** Some waiters of a client give up. */
    private void giveUp(Client client) {
        List<Wish> waiting = new ArrayList<>(wishes);
        waiting.removeIf(wish -> wish.process() != client.process());
        for (int i = random.nextInt(NUMBERED / 2); i > 0 && !waiting.isEmpty(); i--) {
            Wish wish = waiting.remove(random.nextInt(waiting.size()));
            note("give up " + wish.number(), wish.process());
            wish.asked().cancel(false);
        }
    }

    private void strike(int who, Client client) {
        SimulatedProcess process = client.process();
        Fault fault = faults.get(random.nextInt(faults.size()));
        if (preemption.depth() > 0 && fault != Fault.CUT && fault != Fault.LOSE_REPLY && fault != Fault.WAKE) {
            return;
        }
        note(fault.toString(), process);
        switch (fault) {
            case CUT -> toggle(process.isCut(), process::mend, process::cut);
            case PAUSE -> toggle(process.isPaused(), process::resume, process::pause);
            case KILL -> {
                process.kill();
                forget(process);
                clients.set(who, newClient());
            }
            case CLOSE -> {
                if (process.isRunning() && client != leaving) {
                    leaving = client;
                    client.locks().close();
                    clients.set(who, newClient());
                }
            }
            case FREEZE -> toggle(server.isFrozen(), server::unfreeze, server::freeze);
            case RESTART -> server.restart();
            case LOSE_REPLY -> server.loseNextReplyOfTake();
            case WAKE -> server.wakeForNothing();
        }
    }

    private void forget(SimulatedProcess dead) {
        wishes.removeIf(wish -> wish.process() == dead);
        inside.removeIf(wish -> wish.process() == dead);
    }

    @Override
    void look() {
        inside.removeIf(wish -> wish.process().isRunning() && !wish.process().ask(() -> held(wish)));
        int taken = inside.stream()
                .filter(wish -> wish.process().isRunning())
                .mapToInt(Wish::permits)
                .sum();
        if (taken > permits) {
            fail(taken + " permits are taken, of " + permits);
        }
    }

    private static boolean held(Wish wish) {
        return wish.answer().join().orElseThrow().isHeld();
    }

    /** Only the length of the queue: all tickets would be too much text. */
    @Override
    String serverInWords() {
        return "queue of " + server.queueLength(NAME);
    }

    @Override
    void goOn() {
        goOn(500, SESSION);
    }

    /**
     * Closes the clients. A notice may be left if threads were held up: a waiter that is held up while it posts the
     * number of permits may be given up, and its ticket removed, before the notice is posted.
     */
    private void close() {
        clients.forEach(client -> client.locks().close());
        pass(QUIET);
        failIfAnyIsLeft(server.leftovers().stream()
                .filter(what -> !what.startsWith("notice of ") || !preemption.hasHeldUp())
                .toList());
        failIfTasksAreLeft(living());
        throwIfWrong();
    }
}
