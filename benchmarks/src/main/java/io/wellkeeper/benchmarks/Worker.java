package io.wellkeeper.benchmarks;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.management.OperatingSystemMXBean;
import io.wellkeeper.benchmarks.Slot.Command;
import io.wellkeeper.benchmarks.Slot.Job;
import io.wellkeeper.benchmarks.Slot.Reply;
import io.wellkeeper.benchmarks.Slot.Role;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** The main class of a process that uses locks on command. Arguments: the coordinator's port, the scoreboard's file. */
public final class Worker {

    /** How long the last cycles of a slot may take, in which each thread gets the lock once more. */
    private static final Duration LEAVE_TIMEOUT = Duration.ofSeconds(60);

    private static final int LOOK_MILLIS = 1;

    /**
     * Between two looks during the measurement: a look in each millisecond takes a twentieth of a core in each process.
     */
    private static final int LOOK_SELDOM_MILLIS = 20;

    private static final OperatingSystemMXBean OS = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

    private static final CompilationMXBean COMPILERS = ManagementFactory.getCompilationMXBean();

    private final ObjectMapper json = new ObjectMapper();
    private final Scoreboard board;
    private @Nullable Job job;
    private @Nullable Locks locks;
    private final List<Locks.CycleLock> held = new ArrayList<>();

    private Worker(Scoreboard board) {
        this.board = board;
    }

    /** Serves one coordinator until it closes the connection. */
    public static void main(String[] arguments) throws IOException {
        Worker worker = new Worker(Scoreboard.in(Path.of(arguments[1])));
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0]))) {
            socket.setTcpNoDelay(true);
            worker.serve(socket);
        }
        System.exit(0);
    }

    private void serve(Socket socket) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        OutputStream out = socket.getOutputStream();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            Reply reply = obey(json.readValue(line, Command.class));
            out.write((json.writeValueAsString(reply) + "\n").getBytes(StandardCharsets.UTF_8));
            out.flush();
        }
    }

    private Reply obey(Command command) {
        try {
            return switch (command.step()) {
                case PREPARE -> prepare(Objects.requireNonNull(command.job()));
                case RUN -> run(Objects.requireNonNull(job), Objects.requireNonNull(locks));
                case CLOSE -> close();
            };
        } catch (Exception | LinkageError failure) {
            return Reply.failed(describe(failure));
        }
    }

    /**
     * Connects, and acquires the locks that are to be held. For other roles uses a lock once, so that the store makes
     * what it makes only once: the root, and the node of a lock that is not to be a fresh one.
     */
    private Reply prepare(Job next) throws Exception {
        job = next;
        Locks opened = Locks.open(next.store(), next.contestant(), next.uri());
        locks = opened;
        if (next.role() == Role.HOLDER) {
            for (int i = 0; i < next.size(); i++) {
                Locks.CycleLock lock = next.open(opened, next.lock() + "-" + i, 0);
                lock.acquire();
                held.add(lock);
            }
            return Reply.done();
        }
        Locks.CycleLock lock = next.open(opened, next.role() == Role.FRESH ? next.lock() + "-first" : next.lock(), 0);
        lock.acquire();
        lock.release();
        return Reply.done();
    }

    private Reply run(Job now, Locks used) throws InterruptedException {
        List<Villager> villagers = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        AtomicReference<@Nullable Throwable> problem = new AtomicReference<>();
        for (int number = 0; number < now.threads(); number++) {
            Villager villager = new Villager(now, number, used, board);
            Thread thread = new Thread(villager, "villager-" + number);
            thread.setDaemon(true);
            thread.setUncaughtExceptionHandler((failed, failure) -> problem.compareAndSet(null, failure));
            villagers.add(villager);
            threads.add(thread);
        }
        long requestsBefore = CountingSockets.requests();
        long compilingBefore = COMPILERS.getTotalCompilationTime();
        threads.forEach(Thread::start);
        awaitPhase(Scoreboard.MEASURE, LOOK_MILLIS);
        long cpuBefore = OS.getProcessCpuTime();
        awaitPhase(Scoreboard.OVER, LOOK_SELDOM_MILLIS);
        long cpu = OS.getProcessCpuTime() - cpuBefore;
        long deadline = System.nanoTime() + LEAVE_TIMEOUT.toNanos();
        for (Thread thread : threads) {
            thread.join(Math.max(1, (deadline - System.nanoTime()) / 1_000_000));
            if (thread.isAlive()) {
                problem.compareAndSet(null, stuck(thread));
            }
        }
        Throwable failure = problem.get();
        return failure == null
                ? sum(
                        villagers,
                        CountingSockets.requests() - requestsBefore,
                        cpu,
                        COMPILERS.getTotalCompilationTime() - compilingBefore)
                : Reply.failed(describe(failure));
    }

    private void awaitPhase(long phase, int lookMillis) throws InterruptedException {
        while (board.phase() < phase) {
            Thread.sleep(lookMillis);
        }
    }

    private static IllegalStateException stuck(Thread thread) {
        IllegalStateException stuck =
                new IllegalStateException("a thread has not come back from the lock in " + LEAVE_TIMEOUT);
        stuck.setStackTrace(thread.getStackTrace());
        return stuck;
    }

    private static Reply sum(List<Villager> villagers, long requests, long cpuNanos, long compilingMillis) {
        Histogram latencies = Histograms.empty();
        long cycles = 0;
        long allCycles = 0;
        for (Villager villager : villagers) {
            cycles += villager.cycles();
            allCycles += villager.allCycles();
            latencies.add(villager.latencies());
        }
        return new Reply("", cycles, allCycles, requests, cpuNanos, compilingMillis, Histograms.encode(latencies));
    }

    private Reply close() throws Exception {
        for (Locks.CycleLock lock : held) {
            lock.release();
        }
        held.clear();
        if (locks != null) {
            locks.close();
            locks = null;
        }
        return Reply.done();
    }

    private static String describe(Throwable failure) {
        StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text));
        return text.toString();
    }
}
