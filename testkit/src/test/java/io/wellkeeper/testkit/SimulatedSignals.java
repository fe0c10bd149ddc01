package io.wellkeeper.testkit;

import io.wellkeeper.DistributedCondition;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.TicketQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One schedule of a condition at which some waiters give up while others signal. The store may not answer for longer
 * than a signal waits for it. As long as there is a waiter, each signal that was given wakes one. No session ends, except
 * that the first waiter may lose its session while it is being signalled. It takes no signal off when its ticket is gone.
 */
final class SimulatedSignals extends SimulatedSchedule {

    private enum Fault {
        CUT,
        FREEZE,
        RESTART,
        LOSE_REPLY,
        WAKE
    }

    private static final String NAME = "signals";
    private static final String CONDITION = "ready";
    private static final Duration SESSION = Duration.ofHours(10);
    private static final Duration STORE = Duration.ofSeconds(2);
    private static final Duration SOON = Duration.ofSeconds(5);
    private static final Duration QUIET = Duration.ofMinutes(1);
    private static final int LATE = 20_000_000; // nanoseconds in which a signal may still be handled

    private final List<Fault> faults;
    private final List<Client> clients = new ArrayList<>();
    private final List<CompletableFuture<LockHandle>> waiting = new ArrayList<>(); // the waits that have not ended
    private int signalsLeft; // signals that are still to be given
    private int signals; // signals that have certainly been given
    private int woken;
    private boolean begun; // the random steps have begun, and are not over
    private final @Nullable Client mortal; // it may lose its session; it gives no signal, and does not give up
    private boolean expired; // the session of that client
    private boolean closing;

    private record Client(SimulatedProcess process, LockClient locks) {

        DistributedCondition condition() {
            return locks.lock(NAME).newCondition(CONDITION);
        }
    }

    SimulatedSignals(long seed) {
        super(seed, STORE.multipliedBy(2));
        this.faults = random.nextInt(4) == 0 ? List.of() : some(random, Arrays.asList(Fault.values()));
        beSlow(50_000_000);
        for (int i = 2 + random.nextInt(2); i > 0; i--) {
            clients.add(newClient(newProcess()));
        }
        this.mortal =
                random.nextInt(3) > 0 ? null : newClient(newProcess(store -> new Judging((InMemoryTicketStore) store)));
    }

    /** The store of a client that waits once, and changes a notice only to take its signal off. */
    private final class Judging extends ForwardingTicketStore {

        Judging(InMemoryTicketStore store) {
            super(store);
        }

        @Override
        protected TicketQueue queue(TicketQueue sound, String name) {
            return new ForwardingQueue(sound) {
                @Override
                public CompletionStage<Boolean> post(Notice seen, String text) {
                    boolean isOfOthers =
                            sizeIn(text).orElse(0) < sizeIn(seen.text()).orElse(0) && !hasTicket(name);
                    return queue.post(seen, text).thenApply(done -> {
                        if (done && isOfOthers) {
                            fail("a signal is taken off by one whose ticket is gone");
                        }
                        return done;
                    });
                }
            };
        }

        private boolean hasTicket(String name) {
            return server.tickets().slips(name).stream().anyMatch(slip -> slip.owner().link == store.link());
        }
    }

    private Client newClient(SimulatedProcess process) {
        return new Client(
                process,
                LockClient.over(
                        process.store(),
                        process.options(SESSION).storeTimeout(STORE).build()));
    }

    private Client anyClient() {
        return clients.get(random.nextInt(clients.size()));
    }

    @Override
    void run() {
        int most = 2 + random.nextInt(4);
        if (mortal != null) {
            beginToWait(mortal);
        }
        for (int i = 0; i < most; i++) {
            beginToWait(anyClient());
        }
        signalsLeft = 1 + random.nextInt(most - 1);
        begun = true;
        if (mortal == null) {
            beginPreemption();
        } else {
            preemption.begin(2 + random.nextInt(8));
        }
        takeSteps(10 + random.nextInt(20));
        begun = false;
        healAll(all);
        pass(QUIET);
        if (!waiting.isEmpty() && woken < signals) {
            fail(waiting.size() + " still wait, and " + woken + " have been woken by " + signals + " signals");
        }
        throwIfWrong();
        close();
    }

    private void beginToWait(Client client) {
        CompletableFuture<LockHandle> acquired = client.locks().lock(NAME).acquireAsync();
        pass(SOON);
        note("wait", client.process());
        CompletableFuture<LockHandle> wait = client.condition().awaitAsync(acquired.join());
        pass(SOON);
        if (client != mortal) {
            waiting.add(wait);
        }
        wait.whenComplete((again, failure) -> {
            waiting.remove(wait);
            if (failure == null) {
                note("woken", client.process());
                woken++;
                leave(again);
            } else if (!(failure instanceof CancellationException) && !closing) {
                fail("a wait has ended with " + failure);
            }
        });
    }

    /** Whether the client has the lock again, or queues for it. */
    private boolean isBack(Client client) {
        return server.tickets().slips(NAME).stream().anyMatch(client.process()::owns);
    }

    private static void leave(LockHandle handle) {
        try {
            handle.close();
        } catch (IllegalMonitorStateException lost) {
            // with the session
        }
    }

    @Override
    void step() {
        if (!begun) {
            return;
        }
        if (mortal != null && !expired && signals > 0 && random.nextInt(isBack(mortal) ? 2 : 16) == 0) {
            expired = true;
            note("EXPIRE", mortal.process());
            mortal.process().expireSessions();
        } else if (!faults.isEmpty() && random.nextInt(4) == 0) {
            strike(anyClient().process());
        } else if (signalsLeft > 0 && random.nextInt(3) == 0) {
            signalsLeft--;
            signal(anyClient());
        } else if (random.nextInt(8) == 0) {
            giveUp();
        }
    }

    /** The first waiter gives up, unless it is the only one; perhaps a fault happens just then. */
    private void giveUp() {
        if (begun && waiting.size() > 1) {
            note("give up");
            waiting.get(0).cancel(false);
            if (!faults.isEmpty() && random.nextBoolean()) {
                strike(anyClient().process());
            }
        }
    }

    private void signal(Client client) {
        note("signal", client.process());
        client.locks().lock(NAME).acquireAsync().whenComplete((held, failure) -> {
            if (failure != null) {
                fail("the lock is not given to who signals: " + failure);
                return;
            }
            client.condition().signalAsync(held).whenComplete((given, unknown) -> {
                note(unknown == null ? "given" : "unknown", client.process());
                signals += unknown == null ? 1 : 0;
                held.close();
                if (random.nextBoolean()) {
                    time.schedule(Duration.ofNanos(random.nextInt(LATE)), this::giveUp);
                }
            });
        });
    }

    private void strike(SimulatedProcess process) {
        Fault fault = faults.get(random.nextInt(faults.size()));
        if (preemption.depth() > 0 && fault == Fault.FREEZE) {
            return;
        }
        note(fault.toString(), process);
        switch (fault) {
            case CUT -> toggle(process.isCut(), process::mend, process::cut);
            case FREEZE -> toggle(server.isFrozen(), server::unfreeze, server::freeze);
            case RESTART -> server.restart();
            case LOSE_REPLY -> server.loseNextReplyOfTake();
            case WAKE -> server.wakeForNothing();
        }
    }

    @Override
    void goOn() {
        goOn(3_000, STORE.multipliedBy(2));
    }

    private void close() {
        closing = true;
        List.copyOf(waiting).forEach(wait -> wait.cancel(false));
        pass(QUIET);
        clients.forEach(client -> client.locks().close());
        if (mortal != null) {
            mortal.locks().close();
        }
        pass(QUIET);
        failIfAnyIsLeft(server.leftovers().stream()
                .filter(what -> !what.startsWith("notice of "))
                .filter(what -> !what.startsWith("session ") || !expired) // opened in vain, or kept by a cut connection
                .toList());
        failIfTasksAreLeft(all);
        throwIfWrong();
    }
}
