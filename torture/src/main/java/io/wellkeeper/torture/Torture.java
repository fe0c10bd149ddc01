package io.wellkeeper.torture;

import io.wellkeeper.LockClient;
import io.wellkeeper.LockStatus;
import io.wellkeeper.testkit.process.JavaProcess;
import io.wellkeeper.testkit.process.TcpProxy;
import io.wellkeeper.torture.Event.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One run: the workers are started and warm up, the nemesis does what the plan says to whoever is inside a lock, the
 * workers go on for a moment without faults and end, and then it is looked at what they left behind. Everything is
 * written down in a directory.
 */
final class Torture {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration BOUND = Duration.ofSeconds(2);

    private final Plan plan;
    private final Path directory;
    private final History history;
    private final IntFunction<String> uri;
    private final int storePort;
    private final Map<Integer, Member> members = new ConcurrentHashMap<>();
    private final AtomicReference<@Nullable Aim> armed = new AtomicReference<>();
    private int processes;

    /** A worker process, and the proxy through which it reaches the store. */
    private record Member(JavaProcess process, TcpProxy proxy) {}

    /** A fault that waits for somebody to be inside. */
    private record Aim(
            long id, Plan.Fault fault, CompletableFuture<Integer> struck, CompletableFuture<Boolean> healed) {}

    private Torture(Plan plan, Path directory, History history, IntFunction<String> uri, int storePort) {
        this.plan = plan;
        this.directory = directory;
        this.history = history;
        this.uri = uri;
        this.storePort = storePort;
    }

    /**
     * Runs a plan.
     *
     * @param plan what to do
     * @param directory where the history is written
     * @param uri of the store when it is reached through this port of this machine
     * @param storePort the port of the store itself
     */
    static void run(Plan plan, Path directory, IntFunction<String> uri, int storePort) throws InterruptedException {
        try (History history = new History(directory, "controller")) {
            Torture torture = new Torture(plan, directory, history, uri, storePort);
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
        member.proxy().close();
    }

    private void run(Resource resource) throws InterruptedException {
        say(Kind.SETTING, 0, 0, Run.SESSION_TIMEOUT, plan.sessionTimeout().toNanos());
        say(Kind.SETTING, 0, 0, Run.BOUND, BOUND.toNanos());
        plan.locks().forEach(lock -> history.add(Kind.LOCK, 0, 0, lock.name(), lock.permits(), lock.flags()));
        say(Kind.PHASE, 0, 0, "warm-up", 0);
        for (int i = 0; i < plan.workers(); i++) {
            start(resource);
        }
        quiet(plan.sessionTimeout());
        say(Kind.PHASE, 0, 0, "faults", 0);
        long id = 0;
        for (Plan.Fault fault : plan.faults()) {
            befall(++id, fault, resource);
        }
        say(Kind.PHASE, 0, 0, "drain", 0);
        quiet(plan.sessionTimeout().multipliedBy(2).plus(BOUND));
        drain();
        say(Kind.PHASE, 0, 0, "audit", 0);
        audit();
    }

    private static void quiet(Duration time) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(time.toNanos());
    }

    private void start(Resource resource) {
        int number = ++processes;
        TcpProxy proxy = TcpProxy.of(storePort);
        JavaProcess process = JavaProcess.of(Worker.class.getName())
                .name("worker-" + number)
                .options("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-Xmx128m")
                .property("org.slf4j.simpleLogger.defaultLogLevel", "error")
                .arguments(
                        directory.toString(),
                        Integer.toString(number),
                        uri.apply(proxy.port()),
                        Integer.toString(resource.port()),
                        Long.toString(plan.seed()),
                        Long.toString(plan.sessionTimeout().toMillis()),
                        plan.bug().name())
                .start();
        members.put(number, new Member(process, proxy));
        say(Kind.STARTED, number, 0, "torture-" + number, process.pid());
    }

    /** Waits until somebody is inside, and has the fault befall him. */
    private void befall(long id, Plan.Fault fault, Resource resource) throws InterruptedException {
        Aim aim = new Aim(id, fault, new CompletableFuture<>(), new CompletableFuture<>());
        armed.set(aim);
        int victim;
        try {
            victim = aim.struck().get(PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException nobody) {
            throw new IllegalStateException("nobody gets into a lock any more:\n" + output(), nobody);
        } catch (ExecutionException failed) {
            throw new IllegalStateException("the fault " + fault + " could not be made", failed.getCause());
        }
        quiet(fault.length());
        say(Kind.HEALING, victim, id, fault.kind().word(), 0);
        if (fault.kind() == FaultKind.KILL) {
            start(resource);
        } else {
            heal(fault.kind(), member(victim));
        }
        say(Kind.HEALED, victim, id, fault.kind().word(), 0);
        aim.healed().complete(true);
        quiet(fault.quiet());
    }

    /** What the workers have said to their users. */
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
     * Whoever writes is inside, until he is answered. What a process sent that is stopped by then comes in after it goes on
     * again, as if it had been stopped between its last look at the lock and the write.
     */
    private Duration pass(int process) {
        Aim aim = armed.getAndSet(null);
        if (aim == null) {
            return Duration.ZERO;
        }
        FaultKind kind = aim.fault().kind();
        try {
            say(Kind.FAULT, process, aim.id(), kind.word(), 0);
            strike(kind, process);
            say(Kind.STRUCK, process, aim.id(), kind.word(), 0);
        } catch (RuntimeException failed) {
            aim.struck().completeExceptionally(failed);
            throw failed;
        }
        aim.struck().complete(process);
        if (kind == FaultKind.PAUSE || kind == FaultKind.SHORT_PAUSE) {
            aim.healed().join();
        }
        return kind == FaultKind.SILENCE ? aim.fault().length() : Duration.ZERO;
    }

    private void strike(FaultKind kind, int process) {
        Member member = member(process);
        switch (kind) {
            case KILL -> {
                member.process().kill();
                say(Kind.GONE, process, 0, "-", 1);
                members.remove(process);
                end(member);
            }
            case PAUSE, SHORT_PAUSE -> member.process().pause();
            case CUT -> member.proxy().cut();
            case SILENCE -> member.proxy().swallow(true);
        }
    }

    private static void heal(FaultKind kind, Member member) {
        switch (kind) {
            case PAUSE, SHORT_PAUSE -> member.process().resume();
            case SILENCE -> member.proxy().swallow(false);
            case KILL, CUT -> {} // is over by itself
        }
    }

    /** Has the workers end, and waits for it. One that does not end is stuck, as its history shows. */
    private void drain() {
        try {
            Files.createFile(directory.resolve("stop"));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        members.forEach((number, member) -> {
            try {
                long left = Math.max(0, deadline - System.nanoTime());
                int code = member.process().awaitExit(Duration.ofNanos(left));
                if (code != 0) {
                    say(Kind.BUG, number, 0, "exit-" + code, 0);
                    throw new IllegalStateException("a worker has failed:\n" + output());
                }
            } catch (IllegalStateException alive) {
                say(Kind.BUG, number, 0, "does-not-end", 0);
            }
            say(Kind.GONE, number, 0, "-", 0);
        });
    }

    /** When the last session that was killed must have ended, no queue has a ticket. */
    private void audit() throws InterruptedException {
        quiet(plan.sessionTimeout().multipliedBy(2));
        try (LockClient client = LockClient.connect(uri.apply(storePort))) {
            for (Lock lock : plan.locks()) {
                LockStatus status = client.inspect(lock.name());
                int tickets = status.holders().size() + status.waiters().size();
                if (tickets > 0) {
                    say(Kind.LEFT_BEHIND, 0, 0, lock.name(), tickets);
                }
            }
        }
    }

    private void say(Kind kind, int process, long op, String what, long a) {
        history.add(kind, process, op, what, a, 0);
    }
}
