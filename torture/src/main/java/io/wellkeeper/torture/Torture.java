package io.wellkeeper.torture;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockSource;
import io.wellkeeper.LockStatus;
import io.wellkeeper.storekit.JavaProcess;
import io.wellkeeper.testservers.PacketFilter;
import io.wellkeeper.testservers.ProcessClock;
import io.wellkeeper.testservers.ServerDeath;
import io.wellkeeper.testservers.TcpProxy;
import io.wellkeeper.torture.Event.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One run. The workers are started and warm up. Then the planned faults are made: to a worker that is inside a lock, to
 * a waiter behind it, or to the servers meanwhile. The workers go on for a moment without faults, and end. At last it
 * is checked what they have left behind. The history is written to a directory.
 */
final class Torture {

    private static final String CONTROLLER = "controller"; // the name of the clients of this process
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final Duration TO_END = Duration.ofMinutes(1); // for workers that are asked to end
    private static final Duration LOOK = Duration.ofMillis(20);
    private static final Duration AUDIT = Duration.ofMillis(200);
    private static final Duration TO_DIE = Duration.ofSeconds(2); // for a server that has just failed
    private static final int MOST_REQUESTS = 8;
    private static final int COUNT = 1_000_000;
    private static final int BETWEEN = 100; // more count-downs than a latch remembers
    private static final String CHANGES = "changes"; // a word in the text of a latch that was counted down
    private static final int CUTS = 4; // in a session timeout
    private static final Duration SOON = Duration.ofMillis(1);

    /** The next holder of a lock that was taken away should be inside within this part of a session. */
    private static final int NEXT = 10;

    private static final int BURST = 4_000;
    private static final Duration HALF_A_DAY = Duration.ofHours(13); // a little more than half a day
    private static final Duration LEAP = Duration.ofHours(1);

    /** The step of the servers' clock is this part of a session. The reserve of a holder is a fifth of a session. */
    private static final int RESERVES = 8;

    /**
     * For how much longer than a fault of a holder the next holder stays inside: what the former holder does then must
     * not hurt it. Holders that are inside during a fault of the servers stay so long too: if the servers forget them,
     * the next holder comes in beside them.
     */
    private static final Duration WITNESS = Duration.ofSeconds(1);

    private final Plan plan;
    private final Path directory;
    private final History history;
    private final Servers servers;
    private final Map<Integer, Member> members = new ConcurrentHashMap<>();
    private final Set<Integer> visitors = ConcurrentHashMap.newKeySet(); // processes that were inside of late
    private final AtomicReference<@Nullable Aim> armed = new AtomicReference<>();
    // the scene of a fault that is not over
    private final AtomicReference<@Nullable Scene> scene = new AtomicReference<>();
    private final Set<String> latches = ConcurrentHashMap.newKeySet(); // that exist
    private final Map<String, Thread> counting =
            new ConcurrentHashMap<>(); // the threads that count down the latches that were not read yet
    // by lock, the process that was inside last
    private final Map<String, Integer> insiders = new ConcurrentHashMap<>();
    // kinds of requests at which a worker was stopped
    private final Set<String> stoppedAt = ConcurrentHashMap.newKeySet();
    private final Queue<Newcomer> newcomers = new ConcurrentLinkedQueue<>(); // that may still be there
    private int processes;

    /** A worker process, its way to the servers, and its clock, if the clock will be set. */
    private record Member(JavaProcess process, Servers.Way way, Optional<ProcessClock> clock) {

        void moveClock(Duration step) {
            clock.orElseThrow().move(step);
        }
    }

    /** The process that a fault has befallen, and a task that takes the fault back. */
    private record Struck(int victim, Runnable heal) {}

    /** A fault that will be made when a process is inside a lock. */
    private record Aim(long id, Plan.Fault fault, CompletableFuture<Struck> struck, CompletableFuture<Boolean> healed) {

        FaultKind kind() {
            return fault.kind();
        }
    }

    /** The lock at which a fault was made, and its victim: a holder, or the servers. */
    private record Scene(String lock, int victim) {

        boolean isWatchedBy(int process, String where) {
            return victim == Run.NOBODY || (lock.equals(where) && victim != process);
        }
    }

    private Torture(Plan plan, Path directory, History history, Servers servers) {
        this.plan = plan;
        this.directory = directory;
        this.history = history;
        this.servers = servers;
    }

    /**
     * Runs a plan.
     *
     * @param plan the plan
     * @param directory where the history is written
     * @param servers the servers on which it runs
     * @throws ServerDied if one of the servers has died by itself
     */
    static void run(Plan plan, Path directory, Servers servers) throws InterruptedException {
        try (History history = new History(directory, "controller")) {
            Plan suited = servers.areSimple() ? plan.simple() : plan;
            Torture torture = new Torture(suited, directory, history, servers);
            try (Stalls watched = Stalls.watch(history, Run.NOBODY);
                    Resource resource = new Resource(history, torture::pass)) {
                torture.run(resource);
            } finally {
                torture.members.values().forEach(Torture::end);
            }
        }
    }

    private static void end(Member member) {
        member.process().close();
        member.way().close();
        member.clock().ifPresent(ProcessClock::close);
    }

    private void run(Resource resource) throws InterruptedException {
        try {
            goThrough(resource);
        } catch (RuntimeException failed) {
            await(() -> servers.death().isPresent(), TO_DIE);
            ServerDied died = failed instanceof ServerDied told
                    ? told
                    : servers.death().map(ServerDied::new).orElseThrow(() -> failed);
            ServerDeath death = died.death();
            history.add(new Event(
                    death.time(),
                    Kind.FAULT,
                    Run.NOBODY,
                    0,
                    "death of ".concat(death.server()).replace(' ', '-'),
                    Run.FORGETS + Run.ENDS_RUN, // others may have gone on without this server
                    death.code()));
            write(death.log());
            throw died;
        }
    }

    private void write(List<String> log) {
        try {
            Files.write(directory.resolve("dead-server.log"), log);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private void goThrough(Resource resource) throws InterruptedException {
        say(Kind.SETTING, 0, 0, "seed", plan.seed());
        say(Kind.SETTING, 0, 0, Run.SESSION_TIMEOUT, plan.sessionTimeout().toNanos());
        say(Kind.SETTING, 0, 0, Run.BOUND, plan.bound().toNanos());
        plan.locks().forEach(lock -> history.add(Kind.LOCK, 0, 0, lock.name(), lock.permits(), lock.flags()));
        try (Probe probe = Probe.start(connectToAny(), prefix() + "probe", history)) {
            use(resource);
        }
        say(Kind.PHASE, 0, 0, "audit", 0);
        audit();
    }

    private String prefix() {
        return "torture/" + plan.seed() + "/";
    }

    private LockClient connect() {
        return LockClient.connect(servers.uri(), options());
    }

    private ClientOptions options() {
        return Locks.options(CONTROLLER, plan.sessionTimeout());
    }

    private LockSource connectToAny() {
        return servers.areSimple() ? LeaseClient.connect(servers.uri(), options()) : connect();
    }

    private void use(Resource resource) throws InterruptedException {
        try {
            useThroughout(resource);
        } catch (RuntimeException failed) {
            members.values().forEach(member -> member.process().kill()); // their further events mean nothing
            throw failed;
        }
    }

    private void useThroughout(Resource resource) throws InterruptedException {
        say(Kind.PHASE, 0, 0, "warm-up", 0);
        for (int i = 0; i < plan.workers(); i++) {
            start(resource, servers.way());
        }
        awaitAllInside();
        say(Kind.PHASE, 0, 0, "faults", 0);
        long id = 0;
        for (Plan.Fault fault : plan.faults()) {
            befall(++id, fault, resource);
        }
        say(Kind.PHASE, 0, 0, "heal", 0);
        quiet(plan.sessionTimeout().multipliedBy(3).dividedBy(2).plus(plan.bound()));
        awaitNewcomers();
        say(Kind.PHASE, 0, 0, "drain", 0);
        drain();
    }

    private void awaitNewcomers() throws InterruptedException {
        for (Newcomer next = newcomers.poll(); next != null; next = newcomers.poll()) {
            while (!next.hasLeft()) {
                quiet(LOOK);
            }
        }
    }

    /** Lets time pass, as long as the servers live. */
    private void quiet(Duration time) throws InterruptedException {
        long end = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
            look();
            TimeUnit.NANOSECONDS.sleep(Math.min(left, LOOK.toNanos()));
        }
    }

    private void look() {
        servers.death().ifPresent(death -> {
            throw new ServerDied(death);
        });
    }

    private void start(Resource resource, Servers.Way way) {
        int number = ++processes;
        Optional<ProcessClock> clock =
                plan.faults().stream().anyMatch(fault -> fault.kind().isOfClientClock())
                        ? Optional.of(ProcessClock.start())
                        : Optional.empty();
        JavaProcess.Builder worker = JavaProcess.of(Worker.class.getName())
                .name("worker-" + number)
                .options(
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Xshare:auto",
                        "-Xmx256m",
                        "-XX:+UnlockDiagnosticVMOptions",
                        "-XX:-BytecodeVerificationRemote")
                .property("org.slf4j.simpleLogger.defaultLogLevel", "error")
                .environment(Worker.STORE, way.uri())
                .environment(Worker.TABLE, way.table().orElse(""))
                .arguments(
                        directory.toString(),
                        Integer.toString(number),
                        way.mapping(),
                        Integer.toString(resource.port()),
                        Long.toString(plan.seed()),
                        Long.toString(plan.sessionTimeout().toMillis()),
                        plan.driver(),
                        Integer.toString(plan.threads()),
                        Long.toString(plan.rest().toMillis()))
                .arguments(plan.locks().stream().map(Lock::word).toArray(String[]::new));
        Servers.environment(clock).forEach(worker::environment);
        JavaProcess process = worker.start();
        members.put(number, new Member(process, way, clock));
        say(Kind.STARTED, number, 0, "torture-" + number, process.pid());
    }

    /** Waits until each process has been inside a lock after this call. */
    private void awaitAllInside() throws InterruptedException {
        visitors.clear();
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!visitors.containsAll(members.keySet())) {
            if (System.nanoTime() > deadline || !allAlive()) {
                throw new IllegalStateException("somebody does not get into any lock:\n" + output());
            }
            quiet(LOOK);
        }
    }

    private boolean allAlive() {
        return members.values().stream().allMatch(member -> member.process().isAlive());
    }

    /** Waits until a process is inside a lock, and makes the fault; then takes it back. */
    private void befall(long id, Plan.Fault fault, Resource resource) throws InterruptedException {
        readLatches();
        awaitNewcomers();
        if (fault.kind() == FaultKind.FLUSH) { // a client whose session begins just then cannot know of the others
            awaitAllInside();
            quiet(plan.sessionTimeout());
        }
        // the tickets of a process that has just died would stay much longer
        if (fault.kind() == FaultKind.CLOCK_BACK) {
            quiet(plan.sessionTimeout().multipliedBy(5).dividedBy(4));
        }
        quiet(servers.prepare(fault.kind()));
        Aim aim = new Aim(id, fault, new CompletableFuture<>(), new CompletableFuture<>());
        armed.set(aim);
        Struck struck = awaitStruck(aim);
        quiet(fault.length());
        say(Kind.HEALING, struck.victim(), id, fault.kind().word(), 0);
        struck.heal().run();
        if (fault.kind().isOfDeath()) {
            start(
                    resource,
                    fault.kind() == FaultKind.OTHER_DRIVER ? servers.otherWay().orElseThrow() : servers.way());
        }
        say(Kind.HEALED, struck.victim(), id, fault.kind().word(), 0);
        aim.healed().complete(true);
        scene.set(null);
        quiet(fault.quiet());
    }

    private Struck awaitStruck(Aim aim) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            look();
            try {
                return aim.struck().get(LOOK.toNanos(), TimeUnit.NANOSECONDS);
            } catch (TimeoutException nobody) {
                if (System.nanoTime() > deadline) {
                    throw new IllegalStateException("nobody gets into a lock any more:\n" + output(), nobody);
                }
            } catch (ExecutionException failed) {
                throw new IllegalStateException("the fault " + aim.fault() + " could not be made", failed.getCause());
            }
        }
    }

    /** The output of the worker processes. */
    private String output() {
        return members.values().stream()
                .flatMap(member -> member.process().output().stream())
                .collect(Collectors.joining("\n"));
    }

    private Member member(int process) {
        Member member = members.get(process);
        if (member == null) {
            throw new IllegalStateException("process " + process + " is not there");
        }
        return member;
    }

    /**
     * Called for each write: its process is inside the lock until it is answered. If this stops the process, the write
     * comes in only after the process goes on, as if it had been stopped between its last look at the lock and the
     * write.
     */
    private Resource.Wish pass(int process, String lock, OptionalInt waiter) {
        visitors.add(process);
        insiders.put(lock, process);
        Aim aim = armed.get();
        if (aim == null || !isMet(aim, lock, waiter) || !armed.compareAndSet(aim, null)) {
            return Resource.Wish.stay(stay(process, lock));
        }
        FaultKind kind = aim.kind();
        int victim = switch (kind.victim()) {
            case HOLDER -> process;
            case WAITER -> waiter.orElseThrow();
            case SERVERS -> Run.NOBODY;
        };
        if (kind.victim() != FaultKind.Victim.WAITER) {
            scene.set(new Scene(lock, victim));
        }
        try {
            long flags = (servers.forgets(kind) ? Run.FORGETS : 0) + (servers.refuses(kind) ? Run.REFUSES : 0);
            say(Kind.FAULT, victim, aim.id(), kind.word(), flags);
            Runnable heal =
                    victim == Run.NOBODY ? strike(kind, aim.id(), process, lock) : strike(kind, victim, aim.id());
            say(Kind.STRUCK, victim, aim.id(), kind.word(), 0);
            aim.struck().complete(new Struck(victim, heal));
        } catch (RuntimeException failed) {
            aim.struck().completeExceptionally(failed);
            throw failed;
        }
        if (victim == process && FaultKind.stops(kind.word())) {
            if (!kind.isOfDeath()) {
                aim.healed().join();
            }
            return Resource.Wish.stay(Duration.ZERO);
        }
        Duration stay = kind.victim() == FaultKind.Victim.WAITER
                ? Duration.ZERO
                : aim.fault().length();
        return new Resource.Wish(
                stay, kind == FaultKind.BURST ? BURST : 0, kind == FaultKind.LOST_COUNTS ? aim.id() : 0);
    }

    /** Whether a fault can be made while a process is inside this lock. */
    private boolean isMet(Aim aim, String lock, OptionalInt waiter) {
        boolean suits = !aim.kind().needsMutex()
                || plan.locks().stream().anyMatch(other -> other.name().equals(lock) && other.isMutex());
        return suits && aim.fault().isAimedAt(lock) && (!aim.kind().needsWaiter() || waiter.isPresent());
    }

    /** How long a holder without a fault stays inside. */
    private Duration stay(int process, String lock) {
        Scene current = scene.get();
        return current != null && current.isWatchedBy(process, lock) ? WITNESS : Duration.ZERO;
    }

    private Runnable strike(FaultKind kind, long id, int holder, String lock) {
        switch (kind) {
            case BROKEN_LOCK -> breakLock(holder, lock);
            case DATA_LOSS, FLUSH, OLD_SNAPSHOT -> {
                return loseData(kind, id, holder, lock);
            }
            case LONG_CONTENTION -> contendForADay(lock);
            case CLOCK_FORWARD -> servers.moveClock(leap(id));
            case CLOCK_BACK -> servers.moveClock(leap(id).negated());
            default -> {
                return servers.strike(kind);
            }
        }
        return () -> {};
    }

    /**
     * Takes a lock away from a holder that is cut off meanwhile. The other workers cannot send requests either: with a
     * request the servers might also store that the lock was taken away.
     */
    private void breakLock(int holder, String lock) {
        try (LockClient operator = connect()) {
            members.forEach((number, member) -> member.way().all().forEach(proxy -> {
                if (number == holder) {
                    proxy.swallow(true);
                } else {
                    proxy.swallowRequests(true);
                }
            }));
            operator.admin().breakLock(Lock.stored(lock), "torture");
            await(
                    () -> insiders.getOrDefault(lock, holder) != holder,
                    plan.sessionTimeout().dividedBy(NEXT));
            Runnable served = servers.strike(FaultKind.RESTART);
            member(holder).way().all().forEach(TcpProxy::cut); // so it does not learn of the break any more
            members.values().forEach(member -> member.way().all().forEach(proxy -> proxy.swallow(false)));
            served.run();
        }
    }

    /**
     * Lets the servers lose data; the holder can learn of it, or cannot. A new client asks for the lock, which does not
     * know what the servers have forgotten. After {@code FLUSHALL} there is no new client: the store itself says that
     * there must be none.
     */
    private Runnable loseData(FaultKind kind, long id, int holder, String lock) {
        boolean hears = new Random(plan.seed() + id).nextBoolean();
        Servers.Way way = member(holder).way();
        way.all().forEach(proxy -> proxy.swallow(!hears));
        Runnable served = servers.strike(kind);
        if (kind != FaultKind.FLUSH && plan.driver().equals(Plan.WELLKEEPER)) {
            newcomers.add(Newcomer.start(++processes, servers.uri(), plan, lock, history));
        }
        return () -> {
            way.all().forEach(proxy -> proxy.swallow(false));
            served.run();
        };
    }

    /** Ages a lock by a day during which it has a holder; after half of the day another client asks for it. */
    private void contendForADay(String lock) {
        try (LockClient newcomer = connect()) {
            servers.age(Lock.stored(lock), HALF_A_DAY);
            newcomer.lock(Lock.stored(lock)).acquireAsync();
            await(() -> isThere(newcomer.admin().inspect(Lock.stored(lock))), PATIENCE);
            servers.age(Lock.stored(lock), HALF_A_DAY);
        }
    }

    private static boolean isThere(LockStatus status) {
        return Stream.of(status.waiters(), status.holders())
                .flatMap(List::stream)
                .anyMatch(who -> who.clientName().equals(CONTROLLER));
    }

    /** Waits until a condition holds, or the time has passed. */
    private static void await(BooleanSupplier done, Duration patience) {
        long deadline = System.nanoTime() + patience.toNanos();
        while (!done.getAsBoolean() && System.nanoTime() < deadline) {
            LockSupport.parkNanos(SOON.toNanos());
        }
    }

    /** More than a session; for every second fault an hour, as when a clock had a wrong time zone. */
    private Duration leap(long id) {
        return id % 2 == 0 ? LEAP : plan.sessionTimeout().multipliedBy(2);
    }

    private Runnable strike(FaultKind kind, int process, long id) {
        Random random = new Random(plan.seed() + id);
        Member member = member(process);
        switch (kind) {
            case KILL, KILL_WAITER, OTHER_DRIVER -> {
                member.process().kill();
                say(Kind.GONE, process, 0, "-", 1);
                members.remove(process);
                end(member);
                return () -> {};
            }
            case PAUSE, SHORT_PAUSE, PAUSE_WAITER -> {
                member.process().pause();
                return member.process()::resume;
            }
            case PAUSE_AT_REQUEST -> {
                Runnable over = atRequest(member, random, RequestFault.Effect.PAUSE);
                member.process().pause(); // again, or because it has sent too few requests
                return () -> {
                    over.run();
                    member.process().resume();
                };
            }
            case BURST -> {
                return () -> {}; // the answer to its write tells it to do so
            }
            case CUT, CUT_WAITER -> {
                member.way().all().forEach(TcpProxy::cut);
                return () -> {};
            }
            case REPEATED_CUTS -> {
                return cutRepeatedly(member);
            }
            case SILENCE, SILENCE_WAITER -> {
                member.way().all().forEach(proxy -> proxy.swallow(true));
                return () -> member.way().all().forEach(proxy -> proxy.swallow(false));
            }
            case DROP, DROP_WAITER -> {
                return PacketFilter.drop(
                        member.way().all().stream().map(TcpProxy::port).toList())::close;
            }
            case CLOCK_STEP -> {
                member.way().all().forEach(proxy -> proxy.swallow(true));
                servers.moveClock(plan.sessionTimeout().dividedBy(RESERVES));
                return () -> member.way().all().forEach(proxy -> proxy.swallow(false));
            }
            case CLIENT_CLOCK_FORWARD -> {
                member.moveClock(leap(id));
                return () -> {};
            }
            case CLIENT_CLOCK_BACK -> {
                member.moveClock(leap(id).negated());
                return () -> {};
            }
            case DEAFNESS -> {
                member.way().all().forEach(proxy -> proxy.swallowReplies(true));
                return () -> member.way().all().forEach(proxy -> proxy.swallow(false));
            }
            case MUTENESS -> {
                member.way().all().forEach(proxy -> proxy.swallowRequests(true));
                return () -> member.way().all().forEach(proxy -> proxy.swallow(false));
            }
            case DELAY -> {
                Duration way = plan.sessionTimeout().dividedBy(20);
                member.way().all().forEach(proxy -> proxy.delay(way));
                return () -> member.way().all().forEach(proxy -> proxy.delay(Duration.ZERO));
            }
            case LOST_REPLY -> {
                return atRequest(member, random, RequestFault.Effect.LOSE_REPLY);
            }
            case LOST_COUNTS -> {
                return loseCounts(member, Plan.latch(plan.seed(), id));
            }
            case REFUSED_REPETITION -> {
                return atRequest(member, random, RequestFault.Effect.LOSE_REPLY_AND_REFUSE);
            }
            default -> throw new IllegalArgumentException(kind + " is nothing that befalls a worker");
        }
    }

    private Runnable cutRepeatedly(Member member) {
        ScheduledExecutorService cutting = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "cutting");
            thread.setDaemon(true);
            return thread;
        });
        cutting.scheduleWithFixedDelay(
                () -> member.way().all().forEach(TcpProxy::cut),
                0,
                plan.sessionTimeout().dividedBy(CUTS).toNanos(),
                TimeUnit.NANOSECONDS);
        return cutting::shutdownNow;
    }

    /**
     * Loses replies to count-downs of a latch. Another client counts the latch down too, without a proxy: before a
     * request is repeated it counts so often that the latch does not remember the request any more.
     */
    private Runnable loseCounts(Member member, String name) {
        AtomicInteger requests = new AtomicInteger();
        AtomicInteger hurry = new AtomicInteger(); // how many count-downs follow without a pause
        LockClient client = connect();
        client.latch(name).trySetCount(COUNT);
        history.add(Kind.COUNT, 0, 0, name, COUNT, 0);
        AtomicBoolean over = new AtomicBoolean();
        Thread other = new Thread(() -> count(client, name, over, hurry), "counting");
        other.setDaemon(true);
        other.start();
        latches.add(name);
        counting.put(name, other);
        TcpProxy.Rule losing = request -> {
            if (!counts(request)) {
                return TcpProxy.Fate.FORWARD;
            }
            if (requests.incrementAndGet() % 2 == 0) { // the repetition
                hurry.set(BETWEEN);
                await(() -> hurry.get() == 0, plan.sessionTimeout().dividedBy(CUTS));
                return TcpProxy.Fate.FORWARD;
            }
            return TcpProxy.Fate.LOSE_REPLY;
        };
        member.way().all().forEach(proxy -> proxy.rule(losing));
        return () -> {
            member.way().all().forEach(proxy -> proxy.rule(request -> TcpProxy.Fate.FORWARD));
            over.set(true);
        };
    }

    private static boolean counts(ByteBuffer request) {
        return StandardCharsets.ISO_8859_1.decode(request).toString().contains(CHANGES);
    }

    private void count(LockClient client, String name, AtomicBoolean over, AtomicInteger hurry) {
        try (Locks.Wellkeeper locks = new Locks.Wellkeeper(client)) {
            long counted = 0;
            long unknown = 0;
            while (!over.get()) {
                boolean known = locks.countDown(name);
                counted += known ? 1 : 0;
                unknown += known ? 0 : 1;
                if (hurry.getAndUpdate(left -> Math.max(0, left - 1)) == 0) {
                    LockSupport.parkNanos(LOOK.toNanos());
                }
            }
            history.add(Kind.COUNTED, 0, 0, name, counted, unknown);
        }
    }

    /** Reads the counts of the latches before another fault, by which the servers may forget them. */
    private void readLatches() throws InterruptedException {
        for (Map.Entry<String, Thread> counted : counting.entrySet()) {
            counted.getValue().join();
            try (LockClient client = connect()) {
                history.add(Kind.COUNT, 0, 0, counted.getKey(), 0, 1);
                history.add(
                        Kind.COUNT,
                        0,
                        0,
                        counted.getKey(),
                        client.latch(counted.getKey()).getCount(),
                        2);
            }
        }
        counting.clear();
    }

    private void deleteLatches() {
        try (LockClient client = connect()) {
            latches.forEach(name -> client.latch(name).delete());
        }
    }

    /** Makes a fault of one of the next requests of a worker, and waits until the request was met. */
    private Runnable atRequest(Member member, Random random, RequestFault.Effect effect) {
        boolean waits = effect == RequestFault.Effect.PAUSE && random.nextBoolean(); // for a rare kind of request
        RequestFault fault = new RequestFault(
                servers.protocol().orElseThrow(),
                effect,
                waits ? Integer.MAX_VALUE : 1 + random.nextInt(MOST_REQUESTS),
                random.nextInt(MOST_REQUESTS),
                member.process()::pause,
                stoppedAt);
        member.way().all().forEach(proxy -> proxy.rule(fault));
        fault.await(plan.sessionTimeout());
        return () -> member.way().all().forEach(proxy -> proxy.rule(request -> TcpProxy.Fate.FORWARD));
    }

    /** Asks the workers to end, and waits for that. A worker that does not end is stuck, as its history shows. */
    private void drain() throws InterruptedException {
        try {
            Files.createFile(directory.resolve("stop"));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        long deadline = System.nanoTime() + TO_END.toNanos();
        for (Map.Entry<Integer, Member> entry : members.entrySet()) {
            int number = entry.getKey();
            JavaProcess process = entry.getValue().process();
            while (process.isAlive() && System.nanoTime() < deadline) {
                quiet(LOOK);
            }
            look();
            if (process.isAlive()) {
                say(Kind.BUG, number, 0, "does-not-end", 0);
                continue;
            }
            int code = process.awaitExit(Duration.ZERO);
            if (code != 0) {
                say(Kind.BUG, number, 0, "exit-" + code, 0);
                throw new IllegalStateException("a worker has failed:\n" + output());
            }
            say(Kind.GONE, number, 0, "-", 0);
        }
    }

    /** Checks that nothing is left in the store when the last session of a killed process must have ended. */
    private void audit() throws InterruptedException {
        if (!latches.isEmpty()) {
            readLatches();
            deleteLatches();
        }
        Duration patience = plan.sessionTimeout().multipliedBy(2).plus(plan.bound());
        long deadline = System.nanoTime() + patience.toNanos();
        Map<String, Integer> left = leftovers();
        while (!left.isEmpty() && System.nanoTime() < deadline) {
            quiet(AUDIT);
            left = leftovers();
        }
        left.forEach((name, count) -> say(Kind.LEFT_BEHIND, 0, 0, name.replaceAll("\\s", "-"), count));
    }

    private Map<String, Integer> leftovers() {
        Map<String, Integer> left = servers.areSimple() ? locked() : queued();
        if (left.isEmpty()) {
            servers.leftovers().forEach(name -> left.put(name, 1));
        }
        return left;
    }

    /** The simple locks that cannot be acquired. */
    private Map<String, Integer> locked() {
        Map<String, Integer> left = new LinkedHashMap<>();
        try (LeaseClient client = LeaseClient.connect(servers.uri(), options())) {
            for (Lock lock : plan.locks()) {
                client.lock(lock.stored())
                        .tryAcquire()
                        .ifPresentOrElse(LockHandle::close, () -> left.put(lock.name(), 1));
            }
        }
        return left;
    }

    private Map<String, Integer> queued() {
        Map<String, Integer> left = new LinkedHashMap<>();
        try (LockClient client = connect()) {
            Set<String> names = new TreeSet<>(client.admin().names(prefix()));
            plan.locks().forEach(lock -> names.add(lock.stored()));
            for (String name : names) { // an inspection clears the tickets of the dead away
                LockStatus status = client.admin().inspect(name);
                int tickets = status.holders().size() + status.waiters().size();
                if (tickets > 0) {
                    left.put(name, tickets);
                }
            }
        }
        return left;
    }

    private void say(Kind kind, int process, long op, String what, long a) {
        history.add(kind, process, op, what, a, 0);
    }
}
