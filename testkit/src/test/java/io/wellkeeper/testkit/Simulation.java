package io.wellkeeper.testkit;

import io.wellkeeper.LockClient;
import io.wellkeeper.LockClientClosedException;
import io.wellkeeper.LockListener.Acquisition;
import io.wellkeeper.LockOptions;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.Registration;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * One schedule: a few clients, one kind of lock, and faults, under simulated time and by one thread. The same seed gives
 * the same run. The {@link SimulationJudge} looks after each event. When the faults are over, each acquisition must
 * end.
 */
final class Simulation {

    // so long that heartbeats are rare, and hide no bugs
    private static final Duration SESSION = Duration.ofSeconds(60);
    private static final Duration STORE = Duration.ofSeconds(2);
    private static final Duration QUIET = Duration.ofSeconds(3); // longer than any pause before a repetition
    private static final Duration CALLBACKS = Duration.ofMillis(100); // longer than any callback is delayed
    private static final Duration AFTER_A_BEAT =
            Duration.ofMillis(1_500); // enough for the answers to two questions, and for callbacks
    private static final int MOST_BEATS = 20;
    private static final int IDLE_ROUNDS = 20;
    private static final int STILL_ROUNDS = 100; // rounds in which nothing was granted
    private static final int PREEMPTED = 2; // one schedule of so many holds threads up
    private static final int HURRIED = 3; // one schedule of so many has short sessions
    private static final int RARE = 200; // one step of so many is a rush
    private static final int TOKENS = 64; // tokens of one ticket
    private static final int ROBBED = 3; // one schedule of so many removes tickets after all faults
    private static final int ENDLESS = 50_000; // events; few schedules have a tenth of it

    private final SplittableRandom random;
    private final SimulatedTime time = new SimulatedTime();
    private final InMemoryServer server = new InMemoryServer(time);
    private final SimulationHistory history;
    private final SimulatedPrimitive primitive;
    private final UnaryOperator<TicketStore> bug;
    private final LockOptions options;
    private final SimulationJudge judge;
    private final SimulationFaults faults;
    private final Preemption preemption;
    private final boolean hurried; // sessions are short, so that heartbeats come at any moment
    private final Duration session;
    private final List<String> names;
    private final List<Client> clients = new ArrayList<>();
    private final List<SimulatedProcess> closed = new ArrayList<>();
    private final List<Listening> listeners = new ArrayList<>();
    private final List<Asked> asked = new ArrayList<>();
    private final Set<CompletableFuture<?>> givenUp = new HashSet<>(); // completed by the user
    private @Nullable SimulatedUse changing; // one thread changes this; another of the same user may close it
    private @Nullable Client leaving; // this client is closed or killed, and its successor does not exist yet
    private int granted;
    private int events;

    private record Client(SimulatedProcess process, LockClient locks) {}

    private record Asked(
            SimulatedProcess process,
            SimulatedPrimitive.Want want,
            CompletableFuture<Optional<SimulatedPrimitive.Holding>> answer) {}

    Simulation(
            long seed,
            Function<SplittableRandom, SimulatedPrimitive> primitive,
            UnaryOperator<TicketStore> bug,
            boolean inWords) {
        this.random = new SplittableRandom(seed);
        this.primitive = primitive.apply(random);
        this.bug = bug;
        this.history = new SimulationHistory(time, inWords);
        this.names = random.nextInt(3) == 0 ? List.of("a", "b") : List.of("a");
        this.options = LockOptions.builder()
                .handOvers(random.nextInt(4))
                .handOverTime(Duration.ofMillis(random.nextInt(100)))
                .retain(random.nextInt(3) == 0)
                .reentrant(random.nextInt(3) > 0)
                .build();
        this.judge = new SimulationJudge(server, this.primitive, options.retain());
        this.faults = new SimulationFaults(random, server, judge.removals(), history);
        this.hurried = random.nextInt(HURRIED) == 0;
        this.session = hurried
                ? Duration.ofMillis(faults.isErratic() ? 2_000 + random.nextInt(2_000) : 1_000 + random.nextInt(2_000))
                : SESSION;
        this.preemption = new Preemption(random, session.multipliedBy(2), new OtherThreads());
        history.note("session", session.toMillis(), 0);
        history.note("hand-overs", options.handOvers(), options.retain() ? 1 : 0);
        int count = 2 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            clients.add(newClient(i));
        }
    }

    private Client newClient(int who) {
        SimulatedProcess process = new SimulatedProcess(time, server, random, bug, preemption, judge::fail);
        Listening listener = new Listening(process);
        listeners.add(listener);
        return new Client(
                process,
                LockClient.over(
                        process.store(),
                        process.options(session)
                                .clientName("c" + who)
                                .storeTimeout(STORE)
                                .listener(listener)
                                .build()));
    }

    private final class Listening extends ListenerJudge {

        private final SimulatedProcess process;

        Listening(SimulatedProcess process) {
            super(process, judge::fail);
            this.process = process;
        }

        @Override
        public void lost(Acquisition what, Duration held, String reason) {
            super.lost(what, held, reason);
            judge.judgeLoss(process, what.lock(), reason);
        }
    }

    int granted() {
        return granted;
    }

    SimulationHistory history() {
        return history;
    }

    /** Takes some random steps, ends the faults, and checks that each acquisition ends. */
    void run() {
        if (random.nextInt(PREEMPTED) == 0) {
            preemption.begin(1 << (3 + random.nextInt(6)));
        }
        int steps = 15 + random.nextInt(26);
        for (int i = 0; i < steps; i++) {
            step(random.nextInt(clients.size()));
            goOn();
        }
        heal();
        settle();
        for (int i = 0; i < clients.size(); i++) {
            acquireAlone(i);
        }
        closeAll();
    }

    /** The other threads, which run while one is held up. */
    private final class OtherThreads implements Preemption.Others {

        @Override
        public boolean next(Duration within) {
            boolean[] more = new boolean[1];
            server.tellingNothing(() -> more[0] = undisturbing(() -> time.interleave(within)));
            if (more[0]) {
                look();
            }
            return more[0];
        }

        /** An exception of another thread must not reach the thread that is held up. */
        private boolean undisturbing(BooleanSupplier work) {
            try {
                return work.getAsBoolean();
            } catch (RuntimeException | AssertionError wrong) {
                judge.fail(wrong.toString());
                return false;
            }
        }

        @Override
        public void schedule(Duration delay, Runnable work) {
            time.schedule(delay, work);
        }

        @Override
        public void act(SimulatedProcess perhaps) {
            int any = random.nextInt(clients.size());
            int same = IntStream.range(0, clients.size())
                    .filter(i -> clients.get(i).process() == perhaps)
                    .findFirst()
                    .orElse(any);
            int how = random.nextInt(6);
            if (how < 2) {
                act(() -> step(any));
            } else if (how < 4) {
                act(() -> step(same));
            } else {
                act(() -> disturb(same));
            }
        }

        @Override
        public void act() {
            act(() -> step(random.nextInt(clients.size())));
        }

        private void act(Runnable step) {
            server.tellingNothing(() -> undisturbing(() -> {
                step.run();
                return true;
            }));
        }
    }

    private void step(int who) {
        Client client = clients.get(who);
        SimulatedProcess process = client.process();
        int what = random.nextInt(20);
        if (client == leaving) {
            return; // its user has closed it
        }
        if (what >= 14) {
            SimulationFaults.Fate fate = faults.strike(who, process, names, primitive, preemption.depth() > 0);
            if (fate == SimulationFaults.Fate.BREAKS) {
                breakOne(client, names.get(random.nextInt(names.size())));
            } else if (fate != SimulationFaults.Fate.LIVES) {
                leaving = client;
                end(client, fate);
                clients.set(who, newClient(who));
                leaving = null;
            }
        } else if (process.isRunning()) {
            if (random.nextInt(RARE) == 0) {
                rush(who);
            } else if (what < 2 && preemption.depth() == 0 && primitive.hasThreads()) {
                acquireByThread(client);
            } else if (what < 5) {
                acquire(who, Optional.empty());
            } else if (what < 7) {
                acquire(who, Optional.of(Duration.ofMillis(random.nextInt(4) == 0 ? 0 : random.nextInt(500))));
            } else if (what < 11) {
                closeOneOf(who);
            } else if (what < 13) {
                changeOneOf(who);
            } else {
                giveUpOneOf(who);
            }
        }
    }

    /** Disturbs what a thread of this client is doing: closes it, changes another use, or removes a ticket. */
    private void disturb(int who) {
        Client client = clients.get(who);
        SimulatedUse busy = changing;
        if (client == leaving || !client.process().isRunning()) {
            return;
        }
        if (busy != null && busy.process() == client.process() && judge.uses().contains(busy) && random.nextBoolean()) {
            history.note("close meanwhile", who, busy.want());
            close(busy);
        } else if (random.nextBoolean()) {
            changeOneOf(who);
        } else {
            faults.evictOneOf(client.process(), names.get(random.nextInt(names.size())));
        }
    }

    /** Ends a client: closes it, unless its process has been killed. */
    private void end(Client client, SimulationFaults.Fate fate) {
        if (fate == SimulationFaults.Fate.CLOSED) {
            client.locks().close();
            closed.add(client.process());
            judge.uses().stream()
                    .filter(use -> use.process() == client.process() && use.isHeld())
                    .forEach(use -> judge.fail("held by a closed client: " + use.want()));
        }
        asked.removeIf(one -> one.process() == client.process());
        judge.uses().removeIf(use -> use.process() == client.process());
    }

    private void acquireByThread(Client client) {
        SimulatedPrimitive.Want want = primitive.choose(random, names);
        Duration timeout = Duration.ofMillis(1 + random.nextInt(50));
        Map<String, Long> tokens = judge.tokens();
        try {
            client.process()
                    .call(() -> primitive.acquireByThread(client.locks(), want, options, timeout))
                    .ifPresent(holding -> judge.enter(new SimulatedUse(client.process(), want, holding, tokens), true));
        } catch (LockStoreException inVain) {
            history.note("unanswered", 0, 0);
        }
    }

    private void breakOne(Client client, String name) {
        SimulatedRemovals.Break begun = judge.removals().beginBreak(name, client.process());
        try {
            client.locks().admin().breakLock(name, "simulated");
            judge.removals().endBreak(begun, judge.uses());
        } catch (LockStoreException unknown) { // the lock may still be broken later
            history.note("unbroken", 0, 0);
        }
    }

    /** One client acquires more often than one ticket has tokens: all at once, or one visit after the other. */
    private void rush(int who) {
        if (!primitive.isHandedOver() || (options.handOvers() == 0 && !options.retain())) {
            return;
        }
        SimulatedPrimitive.Want want = primitive.choose(random, names);
        int visits = TOKENS + random.nextInt(TOKENS);
        history.note("rush", who, want);
        if (options.handOvers() == 0 || random.nextBoolean()) {
            visit(who, clients.get(who), want, visits);
        } else {
            for (int i = 0; i < visits; i++) {
                visit(who, clients.get(who), want, 1);
            }
        }
    }

    private void visit(int who, Client client, SimulatedPrimitive.Want want, int times) {
        if (times > 0 && client == clients.get(who) && client != leaving) {
            ask(
                    who,
                    client,
                    want,
                    judge.tokens(),
                    primitive.acquire(client.locks(), want, options, Optional.empty()),
                    failure -> judgeEnd(want, Optional.empty(), failure),
                    use -> {
                        judge.begin(use);
                        if (judge.uses().contains(use)) {
                            close(use);
                        }
                        visit(who, client, want, times - 1);
                    });
        }
    }

    private void acquire(int who, Optional<Duration> timeout) {
        Client client = clients.get(who);
        SimulatedPrimitive.Want want = primitive.choose(random, names);
        history.note(timeout.isPresent() ? "try" : "acquire", who, want);
        Map<String, Long> tokens = judge.tokens();
        CompletableFuture<Optional<SimulatedPrimitive.Holding>> answer =
                primitive.acquire(client.locks(), want, options, timeout);
        ask(who, client, want, tokens, answer, failure -> judgeEnd(want, timeout, failure), use -> {});
        timeout.ifPresent(time -> judgeDeadline(client.process(), want, answer, time.isZero() ? STORE : time));
    }

    /**
     * Checks that a try ends in time. A process that was paused sees its timers when it runs again, and its callbacks
     * may make it late. If threads are held up, it is not known how late, so nothing is checked.
     */
    private void judgeDeadline(
            SimulatedProcess process, SimulatedPrimitive.Want want, CompletableFuture<?> answer, Duration limit) {
        if (preemption.hasBegun()) {
            return;
        }
        Registration over = process.schedule(limit, () -> judgeCallbacks(process, want, answer));
        answer.whenComplete((ended, failure) -> over.close());
    }

    private void judgeCallbacks(SimulatedProcess process, SimulatedPrimitive.Want want, CompletableFuture<?> answer) {
        long began = time.nanoTime();
        Registration late = process.schedule(CALLBACKS, () -> {
            if (time.nanoTime() - began > CALLBACKS.toNanos()) { // the process was paused meanwhile
                judgeCallbacks(process, want, answer);
            } else {
                judge.fail("a try for " + want + " has not ended in time");
            }
        });
        answer.whenComplete((ended, failure) -> late.close());
    }

    private void ask(
            int who,
            Client client,
            SimulatedPrimitive.Want want,
            Map<String, Long> tokens,
            CompletableFuture<Optional<SimulatedPrimitive.Holding>> answer,
            Consumer<@Nullable Throwable> inVain,
            Consumer<SimulatedUse> entered) {
        SimulatedProcess process = client.process();
        asked.add(new Asked(process, want, answer));
        answer.whenComplete((holding, failure) -> {
            if (holding != null && holding.isPresent()) {
                granted++;
                history.note("granted", who, want);
                SimulatedUse use = new SimulatedUse(process, want, holding.get(), tokens);
                judge.enter(use, want.names().size() > 1 || random.nextBoolean());
                entered.accept(use);
            } else {
                history.note(failure == null ? "refused" : "failed", who, 0);
                if (!givenUp.contains(answer)) {
                    inVain.accept(failure);
                }
            }
        });
    }

    /** Only a try may end without success, unless its client is closed. */
    private void judgeEnd(SimulatedPrimitive.Want want, Optional<Duration> timeout, @Nullable Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        boolean ended = cause instanceof LockClientClosedException;
        boolean inVain = timeout.isPresent() && (cause == null || cause instanceof LockStoreException);
        if (!ended && !inVain) {
            judge.fail("acquiring " + want + " has ended with " + cause);
        }
    }

    private void closeOneOf(int who) {
        oneOf(who).ifPresent(use -> {
            history.note("close", who, 0);
            close(use);
        });
    }

    private Optional<SimulatedUse> oneOf(int who) {
        List<SimulatedUse> own = judge.uses().stream()
                .filter(use -> use.process() == clients.get(who).process() && !use.isBusy())
                .filter(use -> preemption.depth() == 0 || !use.holding().isOfThread())
                .toList();
        return own.isEmpty() ? Optional.empty() : Optional.of(own.get(random.nextInt(own.size())));
    }

    /** Changes a use. While one thread changes it, another thread of the same user may close it. */
    private void changeOneOf(int who) {
        Optional<SimulatedUse> chosen = oneOf(who).filter(SimulatedUse::isHeld);
        if (chosen.isPresent() && chosen.get().holding().isOfThread()) {
            change(who, chosen.get());
        } else if (chosen.isPresent()) {
            SimulatedUse before = changing;
            changing = chosen.get();
            preemption.often(() -> change(who, chosen.get()));
            changing = before;
        }
    }

    /** Changes a use, which must succeed unless the use is lost. */
    private void change(int who, SimulatedUse use) {
        if (!judge.uses().contains(use)) {
            return; // closed, or changed, meanwhile
        }
        Client client = clients.get(who);
        Map<String, Long> tokens = judge.tokens();
        Optional<SimulatedPrimitive.Change> change = Optional.empty();
        if (primitive.changesInPlace()) {
            judge.uses().remove(use);
        }
        try {
            judge.show(use, primitive.acquireBeside(random, client.locks(), use.want(), use.holding(), options));
            change = primitive.change(random, client.locks(), use.want(), use.holding(), options);
        } catch (IllegalMonitorStateException overtaken) {
            if (use.isHeld()) {
                judge.fail("held, and cannot be changed: " + overtaken);
            }
            return;
        } finally {
            if (primitive.changesInPlace() && change.isEmpty()) {
                judge.uses().add(use);
            }
        }
        if (change.isPresent()) {
            follow(who, client, tokens, use, change.get());
        }
    }

    private void follow(
            int who, Client client, Map<String, Long> tokens, SimulatedUse use, SimulatedPrimitive.Change change) {
        history.note(change.what(), who, use.want());
        if (change.ends()) {
            judge.uses().remove(use);
        } else {
            use.busyUntil(change.answer());
        }
        if (change.want().isPresent()) {
            Map<String, Long> before = change.isOf(use.holding()) ? use.tokensWhenAsked() : tokens;
            ask(who, client, change.want().get(), before, change.answer(), failure -> {}, next -> {});
        }
    }

    private void close(SimulatedUse use) {
        judge.uses().remove(use);
        use.close();
    }

    private void giveUpOneOf(int who) {
        for (Asked one : asked) {
            if (one.process() == clients.get(who).process() && !one.answer().isDone()) {
                giveUp(who, one.answer());
                return;
            }
        }
    }

    /** The user completes the future of an acquisition, in one of three ways. */
    private void giveUp(int who, CompletableFuture<Optional<SimulatedPrimitive.Holding>> answer) {
        givenUp.add(answer);
        int how = random.nextInt(3);
        history.note("give up", who, how);
        switch (how) {
            case 0 -> answer.cancel(false);
            case 1 -> answer.completeExceptionally(new TimeoutException("no longer wanted"));
            default -> answer.complete(Optional.empty());
        }
    }

    /** Lets some time pass: a few events, a while, or long enough for a session to end. */
    private void goOn() {
        int how = random.nextInt(100);
        if (how < 55) {
            int events = random.nextInt(10);
            for (int i = 0; i < events && next(Duration.ofMillis(5)); i++) {}
        } else if (how < 85) {
            pass(Duration.ofMillis(random.nextInt(20)));
        } else if (how < 88) {
            pass(Duration.ofMillis(random.nextInt(3000)));
        } else if (how < 94) {
            pass(session.multipliedBy(random.nextInt(200)).dividedBy(100));
        } else if (!server.isFrozen()
                && clients.stream().allMatch(client -> client.process().isWell())) {
            beQuiet();
        }
    }

    /** Waits until all must be settled, and judges: a waiter that still sleeps then would sleep for ever. */
    private void beQuiet() {
        preemption.without(() -> {
            judgeQuiet();
            return null;
        });
    }

    private void judgeQuiet() {
        List<SimulatedUse> before = hurried ? List.copyOf(judge.uses()) : List.of();
        passWithoutBeats(QUIET);
        history.note("quiet", 0, 0);
        judge.judgeLosses();
        judge.judgeRemovals(before);
        List<SimulatedProcess> processes = clients.stream()
                .map(Client::process)
                .filter(process -> !isHalfIn(process))
                .toList();
        List<Ticket> sleepers = judge.sleepers(names, processes);
        if (!sleepers.isEmpty()) {
            passWithoutBeats(QUIET);
            judge.judgeLosses();
            sleepers.retainAll(judge.sleepers(names, processes));
            if (!sleepers.isEmpty()) {
                judge.fail("could be in, and sleep: " + sleepers);
            }
        }
        asked.removeIf(one -> one.answer().isDone());
        judge.throwIfWrong();
    }

    /**
     * Lets time pass until there was no heartbeat of late. A client that notices something by a heartbeat asks the
     * store about it before it tells its user. If the heartbeats never cease, there were enough of them for the first
     * one to show all.
     */
    private void passWithoutBeats(Duration duration) {
        pass(duration);
        for (int beats = -1, tries = 0;
                !hurried && beats != server.requests(Request.HEARTBEAT) && tries < MOST_BEATS;
                tries++) {
            beats = server.requests(Request.HEARTBEAT);
            pass(AFTER_A_BEAT);
        }
    }

    /** Whether a process waits for several locks at once; it may have some of them while it waits for the others. */
    private boolean isHalfIn(SimulatedProcess process) {
        return asked.stream()
                .anyMatch(one -> one.process() == process
                        && one.want().names().size() > 1
                        && !one.answer().isDone());
    }

    private boolean next(Duration within) {
        boolean more = time.advanceToNext(within);
        if (more) {
            look();
            judge.throwIfWrong();
        }
        return more;
    }

    private void look() {
        if (++events > ENDLESS) {
            throw new AssertionError("it goes round in circles: " + events + " events");
        }
        history.tick();
        history.show(server, names);
        judge.removals().look();
        judge.judgeBound();
    }

    private void pass(Duration duration) {
        long end = time.nanoTime() + duration.toNanos();
        while (next(Duration.ofNanos(end - time.nanoTime()))) {}
        time.advance(Duration.ofNanos(Math.max(0, end - time.nanoTime())));
    }

    /** Ends the faults. A process that is resumed after its deadline knows at once that its locks are lost. */
    private void heal() {
        history.note("heal", 0, 0);
        preemption.end();
        faults.heal(clients.stream().map(Client::process).toList());
        judge.judgeBound();
        if (faults.hasLostData()) {
            pass(session.plusSeconds(1));
        } else if (faults.hasDead()) {
            if (random.nextBoolean()) {
                pass(session.plusSeconds(1));
            } else {
                faults.expireDead();
            }
        }
        judge.throwIfWrong();
    }

    private void settle() {
        beQuiet();
        if (random.nextInt(ROBBED) == 0) {
            names.forEach(faults::evict);
        }
        if (judge.removals().any()) {
            List<SimulatedUse> before = List.copyOf(judge.uses());
            pass(session.dividedBy(6));
            beQuiet();
            judge.judgeRemovals(before);
        }
        int idle = 0;
        int seen = granted;
        for (int still = 0; still < STILL_ROUNDS && !isSettled(); still = granted > seen ? 0 : still + 1) {
            seen = granted;
            // a signalled waiter may stand behind many others
            idle = judge.uses().isEmpty() && still > 0 ? idle + 1 : 0;
            List.copyOf(judge.uses()).stream().filter(use -> !use.isBusy()).forEach(this::close);
            pass(Duration.ofMillis(200));
            if (idle == IDLE_ROUNDS) {
                judge.judgeSignals();
                primitive.comfort(clients.get(0).locks(), names, options);
            }
        }
        if (!isSettled()) {
            judge.fail("acquisitions that never end, while the server has " + server.leftovers());
        }
        judge.throwIfWrong();
    }

    private boolean isSettled() {
        return judge.uses().isEmpty()
                && asked.stream().allMatch(one -> one.answer().isDone());
    }

    private void acquireAlone(int who) {
        acquire(who, Optional.empty());
        pass(QUIET);
        if (judge.uses().size() != 1 || !judge.uses().get(0).isHeld()) {
            judge.fail("client " + who + " cannot acquire any more, while the server has " + server.leftovers());
        }
        judge.throwIfWrong();
        close(judge.uses().get(0));
    }

    /**
     * Closes the clients. A session whose beginning was not acknowledged has no client, and ends by the server's clock.
     */
    private void closeAll() {
        pass(QUIET);
        judge.judgeTickets(names);
        judge.allIsClosed();
        clients.forEach(client -> client.locks().close());
        pass(QUIET);
        judgeLeft(server.leftovers().stream()
                .filter(what -> !what.startsWith("session "))
                .toList());
        pass(session);
        judgeLeft(server.leftovers());
        listeners.forEach(Listening::judgeEnd);
        clients.forEach(client -> closed.add(client.process()));
        int pending = closed.stream().mapToInt(SimulatedProcess::pending).sum();
        if (pending > 0) {
            judge.fail("left: " + pending + " scheduled tasks");
        }
        judge.throwIfWrong();
    }

    /**
     * Checks what is left at the server. A signal that came when the last waiter had just left may be left; the next
     * waiter takes it off. So may a notice of a waiter whose ticket was removed meanwhile, perhaps by another thread
     * while the thread of the waiter was held up; the next client reads it.
     */
    private void judgeLeft(List<String> leftovers) {
        boolean mayBeLate = judge.removals().any() || preemption.hasHeldUp();
        List<String> left = leftovers.stream()
                .filter(what -> !what.startsWith("notice of 'wellkeeper:condition/"))
                .filter(what -> !what.startsWith("notice of ") || !mayBeLate)
                .toList();
        if (!left.isEmpty()) {
            judge.fail("left: " + left);
        }
    }
}
