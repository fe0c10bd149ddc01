package io.wellkeeper.testkit;

import io.wellkeeper.DistributedLatch;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockClientClosedException;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.LockNames;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One schedule of parties that gather at a barrier, or wait at a latch: a few clients, and faults, under simulated time and by
 * one thread, as in {@link Simulation}. No party gets through before enough have come. When the faults are over, each
 * party gets through for which enough have come. With a crowd, many parties of one client come at the same moment, and
 * many threads count down at the same moment, so that they share their questions and their changes.
 */
final class SimulatedGathering extends SimulatedSchedule {

    /** What the parties wait at. */
    enum Kind {
        BARRIER,
        LATCH
    }

    private enum Fault {
        CUT,
        PAUSE,
        KILL,
        CLOSE,
        EXPIRE,
        FREEZE,
        RESTART,
        LOSE_REPLY,
        EVICT,
        WAKE,
        LOSE_DATA,
        GIVE_UP
    }

    private static final Set<Fault> ENDING =
            EnumSet.of(Fault.KILL, Fault.CLOSE, Fault.EXPIRE, Fault.EVICT, Fault.LOSE_DATA, Fault.GIVE_UP);
    private static final String NAME = "gathering";
    private static final Duration SESSION = Duration.ofSeconds(10);
    private static final Duration STORE = Duration.ofSeconds(2);
    // enough for messages, too short for most waiters to look again
    private static final Duration SOON = Duration.ofSeconds(5);
    private static final Duration QUIET = Duration.ofMinutes(1); // in which each waiter looks again more than once
    private static final int AT_ONCE = 8; // threads that count down, at most
    // nanoseconds by which timers of a client with a crowd are late, at most
    private static final int LATENESS = 20_000_000;

    private final Kind kind;
    private final List<Fault> faults;
    private final boolean calm; // a party is undone only by the end of its session, so it is known how many have come
    private final int crowd; // how many parties of one client come at once, at first
    private final int enough; // the number of parties, or the initial count
    private final List<Client> clients = new ArrayList<>();
    private final List<Wait> waits = new ArrayList<>();
    private @Nullable Client leaving; // this client is being closed, or was
    private boolean begun; // the random steps have begun, and are not over
    private int come; // parties that have come, or count-downs that were or may have been done
    private int counted; // count-downs that were certainly done
    private int through;
    private int last; // parties that were told that they were the last to come
    private boolean troubled; // a fault may have ended sessions or tickets

    private record Client(SimulatedProcess process, LockClient locks) {}

    private record Wait(SimulatedProcess process, CompletableFuture<Integer> answer) {}

    /** @param most what the size of the crowd is chosen by; zero for no crowd */
    SimulatedGathering(long seed, Kind kind, int most) {
        super(seed, SESSION.multipliedBy(2));
        this.kind = kind;
        this.calm = random.nextInt(3) == 0;
        this.crowd = most == 0 ? 0 : most / 4 + random.nextInt(most);
        this.enough = 1 + random.nextInt(crowd > 0 && kind == Kind.LATCH ? crowd : 4);
        this.faults = some(
                random,
                Arrays.stream(Fault.values())
                        .filter(fault -> !(calm && ENDING.contains(fault) && fault != Fault.EXPIRE)
                                && !(kind == Kind.LATCH && fault == Fault.LOSE_DATA))
                        .toList());
        beSlow(200_000_000);
        if (random.nextInt(3) == 0) {
            server.showEnded();
        }
        int count = 2 + random.nextInt(2);
        for (int i = 0; i < count; i++) {
            clients.add(newClient());
        }
    }

    private Client newClient() {
        SimulatedProcess process = newProcess();
        if (crowd > 0) {
            process.delayAlarms(LATENESS);
        }
        LockClient locks = LockClient.over(
                process.store(), process.options(SESSION).storeTimeout(STORE).build());
        return new Client(process, locks);
    }

    @Override
    void run() {
        if (kind == Kind.LATCH) {
            pass(Duration.ofSeconds(1));
            clients.get(0).locks().latch(NAME).trySetCount(enough);
        }
        begun = true;
        for (int i = 0; i < crowd; i++) {
            begin(clients.get(0), false);
        }
        if (crowd == 0 || kind == Kind.BARRIER) { // else a thread that counts down would wait for a held-up timer
            beginPreemption();
        }
        takeSteps(10 + random.nextInt(20));
        heal();
        judgeEnd();
        close();
    }

    @Override
    void step() {
        if (!begun) {
            return; // not begun, or over
        }
        int who = random.nextInt(clients.size());
        Client client = clients.get(who);
        if (!faults.isEmpty() && random.nextInt(3) == 0) {
            strike(who, client);
        } else if (client.process().isRunning()) {
            if (client == leaving) {
                return; // its user has closed it
            }
            if (kind == Kind.BARRIER || random.nextBoolean()) {
                begin(client, !calm && random.nextInt(4) == 0);
            } else if (crowd > 0) {
                countDownAtOnce(client, 1 + random.nextInt(AT_ONCE));
            } else if (preemption.depth() == 0) {
                countDown(client);
            }
        }
    }

    private void begin(Client client, boolean timed) {
        note("await", client.process());
        if (kind == Kind.BARRIER) {
            come++;
        }
        Duration timeout = Duration.ofMillis(random.nextInt(3_000));
        CompletableFuture<Integer> answer = kind == Kind.LATCH
                ? timed
                        ? client.locks().latch(NAME).awaitAsync(timeout).thenApply(open -> open ? 1 : -1)
                        : client.locks().latch(NAME).awaitAsync().thenApply(open -> 1)
                : timed
                        ? client.locks().barrier(NAME, enough).awaitAsync(timeout)
                        : client.locks().barrier(NAME, enough).awaitAsync();
        Wait wait = new Wait(client.process(), answer);
        waits.add(wait);
        answer.whenComplete((missing, failure) -> judge(wait, timed, missing, failure));
    }

    private void judge(Wait wait, boolean timed, @Nullable Integer missing, @Nullable Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        note("answer " + all.indexOf(wait.process()) + ": " + missing + " " + cause);
        if (cause != null) {
            boolean expected = cause instanceof CancellationException
                    || cause instanceof LockClientClosedException
                    || (cause instanceof TimeoutException && timed)
                    || (cause instanceof LockStoreException
                            && (troubled || wait.process().hasLostSession()));
            if (!expected) {
                fail("a wait has ended with " + cause);
            }
        } else if (missing != null && missing >= 0) {
            through++;
            last += missing == 0 ? 1 : 0;
            if (kind == Kind.LATCH ? come < enough : through > (calm ? come / enough * enough : come)) {
                fail(through + " are through, when " + come + " have come");
            }
        }
    }

    private boolean isCalm() {
        return calm && all.stream().noneMatch(SimulatedProcess::hasLostSession);
    }

    private void countDown(Client client) {
        note("count down", client.process());
        come++;
        try {
            client.locks().latch(NAME).countDown();
            counted++;
            note("counted");
        } catch (LockStoreException | LockClientClosedException unknown) {
            note("unknown: " + unknown);
        }
    }

    /** Counts down by several threads: while one waits for its answer, the others begin. */
    private void countDownAtOnce(Client client, int threads) {
        for (int i = 0; i < threads; i++) {
            time.schedule(Duration.ofNanos(random.nextInt(4_000_000)), () -> {
                if (begun && client.process().isRunning() && client != leaving) {
                    countDown(client);
                }
            });
        }
    }

    private void strike(int who, Client client) {
        SimulatedProcess process = client.process();
        Fault fault = faults.get(random.nextInt(faults.size()));
        if (preemption.depth() > 0
                && EnumSet.of(Fault.PAUSE, Fault.KILL, Fault.CLOSE, Fault.FREEZE)
                        .contains(fault)) {
            return;
        }
        note(fault.toString(), process);
        troubled |= ENDING.contains(fault);
        switch (fault) {
            case CUT -> toggle(process.isCut(), process::mend, process::cut);
            case PAUSE -> {
                troubled = true; // the pause may be so long that its session ends
                toggle(process.isPaused(), process::resume, process::pause);
            }
            case KILL -> {
                process.kill();
                clients.set(who, newClient());
            }
            case CLOSE -> {
                if (process.isRunning() && client != leaving) {
                    leaving = client;
                    client.locks().close();
                    clients.set(who, newClient());
                }
            }
            case EXPIRE -> process.expireSessions();
            case FREEZE -> toggle(server.isFrozen(), server::unfreeze, server::freeze);
            case RESTART -> server.restart();
            case LOSE_REPLY -> server.loseNextReplyOfTake();
            case EVICT -> {
                String queue = LockNames.RESERVED + "barrier/" + NAME;
                int length = server.queueLength(queue);
                if (length > 0) {
                    server.removeTicket(queue, random.nextInt(length));
                }
            }
            case WAKE -> server.wakeForNothing();
            case LOSE_DATA -> server.loseData();
            case GIVE_UP ->
                waits.stream()
                        .filter(wait ->
                                wait.process() == process && !wait.answer().isDone() && process.isRunning())
                        .limit(1 + (crowd == 0 ? 0 : random.nextInt(crowd)))
                        .toList()
                        .forEach(wait -> wait.answer().cancel(false));
        }
    }

    @Override
    void goOn() {
        goOn(100, SESSION);
    }

    @Override
    void beginLongPause() {
        troubled |= server.isFrozen()
                || clients.stream().anyMatch(client -> !client.process().isWell());
    }

    private List<SimulatedProcess> living() {
        return clients.stream().map(Client::process).toList();
    }

    private void heal() {
        begun = false;
        server.hideDeparted();
        healAll(living());
        pass(SESSION.plus(QUIET));
        throwIfWrong();
    }

    private List<Wait> waiting() {
        return waits.stream()
                .filter(wait -> !wait.answer().isDone() && !wait.process().isDead())
                .toList();
    }

    private void judgeEnd() {
        if (kind == Kind.LATCH) {
            judgeCount();
            for (int i = 0; i < enough && !waiting().isEmpty(); i++) {
                countDown(clients.get(0));
                // if the latch is open by now, this sets it anew before the waiters have seen it open
                clients.get(0).locks().latch(NAME).trySetCount(enough);
                pass(SOON);
            }
            if (crowd > 0 && come >= enough && waiting().isEmpty()) {
                setAnewBehindThoseWhoWait();
            }
        } else {
            List<Wait> before = waiting();
            if (before.size() >= enough) {
                fail(before.size() + " wait, though " + enough + " are enough");
            }
            for (int i = before.size(); i > 0 && i < enough; i++) {
                begin(clients.get(random.nextInt(clients.size())), false);
            }
            pass(SOON);
            if (isCalm() && (through != come || last != come / enough)) {
                fail("of " + come + " that have come " + through + " are through, " + last + " of them as the last");
            }
        }
        if (!waiting().isEmpty()) {
            fail(waiting().size() + " still wait");
        }
        throwIfWrong();
    }

    /** Sets the count anew at once after it was zero: the waiters came before that, and have had no time to look. */
    private void setAnewBehindThoseWhoWait() {
        DistributedLatch latch = clients.get(0).locks().latch(NAME);
        latch.delete();
        latch.trySetCount(1);
        for (int i = 0; i < 2 * AT_ONCE; i++) {
            begin(clients.get(0), false);
        }
        countDown(clients.get(0));
        latch.trySetCount(1);
        pass(SOON);
    }

    /**
     * Checks the count: each count-down was done once, except for those of which it is not known whether they were
     * done.
     */
    private void judgeCount() {
        long left = clients.get(0).locks().latch(NAME).getCount();
        if (left > Math.max(0, enough - counted) || left < Math.max(0, enough - come)) {
            fail("the count is " + left + ", of " + enough + ", after " + counted + " to " + come);
        }
    }

    /** A notice may be left if it was posted after the tickets of all its readers had gone; the next party reads it. */
    private void close() {
        if (kind == Kind.LATCH) {
            clients.get(0).locks().latch(NAME).delete();
        }
        clients.forEach(client -> client.locks().close());
        pass(QUIET);
        List<String> left = server.leftovers().stream()
                .filter(what -> !what.startsWith("notice of ") || !troubled)
                .toList();
        failIfAnyIsLeft(left);
        failIfTasksAreLeft(living());
        throwIfWrong();
    }
}
