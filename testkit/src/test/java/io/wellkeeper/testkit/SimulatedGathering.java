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
 * one thread, as in {@link Simulation}. Nobody gets through before enough have come; and when the faults are over, everybody
 * does for whom enough have come. Where there is a crowd, many of one client come at the same moment, and many count down
 * at the same moment: so they share what they ask, and what they change.
 */
final class SimulatedGathering extends SimulatedSchedule {

    /** At what they gather. */
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
    private static final Duration SOON = Duration.ofSeconds(5); // by what is told, before most look again by themselves
    private static final Duration QUIET = Duration.ofMinutes(1); // in which everybody looks again, more than once
    private static final int AT_ONCE = 8; // threads that count down, at most
    private static final int LATENESS = 20_000_000; // of the alarms of one with a crowd

    private final Kind kind;
    private final List<Fault> faults;
    private final boolean calm; // only the end of a session undoes anybody's coming: so it is known who has come
    private final int crowd; // how many of one client come at once, at first
    private final int enough; // parties, or the count
    private final List<Client> clients = new ArrayList<>();
    private final List<Wait> waits = new ArrayList<>();
    private @Nullable Client leaving; // it is being closed, or was
    private boolean begun; // and not over
    private int come; // parties, or those that have counted down, or may have
    private int counted; // for certain
    private int through;
    private int last; // parties that were told that nobody had to come after them
    private boolean troubled; // something has befallen sessions or tickets

    private record Client(SimulatedProcess process, LockClient locks) {}

    private record Wait(SimulatedProcess process, CompletableFuture<Integer> answer) {}

    /** @param most how large a crowd may be; zero for none */
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
        if (crowd == 0 || kind == Kind.BARRIER) { // a timer that is held up would be waited for by who counts down
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
            return; // or over
        }
        int who = random.nextInt(clients.size());
        Client client = clients.get(who);
        if (!faults.isEmpty() && random.nextInt(3) == 0) {
            strike(who, client);
        } else if (client.process().isRunning()) {
            if (client == leaving) {
                return; // nobody uses it any more
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

    /** By threads of their own: while one waits for its answer, the others begin. */
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
                troubled = true; // for so long that its session may end
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
                clients.get(0).locks().latch(NAME).trySetCount(enough); // before they have seen it open, if it is
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

    /** They have begun to wait before it was zero, and have had no time to look. */
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

    /** Each has counted once, be it certain or not. */
    private void judgeCount() {
        long left = clients.get(0).locks().latch(NAME).getCount();
        if (left > Math.max(0, enough - counted) || left < Math.max(0, enough - come)) {
            fail("the count is " + left + ", of " + enough + ", after " + counted + " to " + come);
        }
    }

    /** What was put up when the tickets of all whom it was for had gone is read by whoever comes next. */
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
