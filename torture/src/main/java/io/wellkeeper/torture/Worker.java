package io.wellkeeper.torture;

import io.wellkeeper.LockStoreException;
import io.wellkeeper.torture.Event.Kind;
import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.ServiceLoader;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

/**
 * The main class of a process that uses locks until the file {@code stop} appears beside its history. Its threads acquire
 * random locks, hold them for a while and release them, and write to the history what they do and see.
 */
public final class Worker {

    private static final Duration LOOK = Duration.ofMillis(5);
    private static final int FIRST_LOCK = 9;
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Path directory;
    private final int process;
    private final int resource;
    private final Plan plan;
    private final History history;
    private final Locks locks;
    private final Optional<FencedTable> table;
    private final AtomicLong ops = new AtomicLong();
    private final ScheduledExecutorService interrupter = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "interrupter");
        thread.setDaemon(true);
        return thread;
    });

    private Worker(
            Path directory,
            int process,
            int resource,
            Plan plan,
            History history,
            Locks locks,
            Optional<FencedTable> table) {
        this.directory = directory;
        this.process = process;
        this.resource = resource;
        this.plan = plan;
        this.history = history;
        this.locks = locks;
        this.table = table;
    }

    /**
     * The environment variable with the URI of the store; as an argument, others could see it in the list of processes.
     */
    static final String STORE = "WELLKEEPER_TORTURE_STORE";

    /** The environment variable with the URL of the database where a {@link FencedTable} is; empty if there is none. */
    static final String TABLE = "WELLKEEPER_TORTURE_TABLE";

    private static final int WRITES_TO_ONE_IN_THE_TABLE = 16;

    /**
     * Arguments: directory, process number, ports of servers and of their proxies, port of the resource, seed, session
     * timeout in ms, driver of the locks, threads, longest pause in ms, and then each lock.
     */
    public static void main(String[] arguments) throws Exception {
        Path directory = Path.of(arguments[0]);
        int process = Integer.parseInt(arguments[1]);
        List<Lock> used = Stream.of(arguments).skip(FIRST_LOCK).map(Lock::parse).toList();
        Plan plan = Plan.of(Long.parseLong(arguments[4]), Duration.ofMillis(Long.parseLong(arguments[5])), 0)
                .with(1, Integer.parseInt(arguments[7]), used, arguments[6])
                .resting(Duration.ofMillis(Long.parseLong(arguments[8])));
        try (History history = new History(directory, "worker-" + process);
                Stalls watched = Stalls.watch(history, process)) {
            Optional<FencedTable> table = Optional.ofNullable(System.getenv(TABLE))
                    .filter(url -> !url.isEmpty())
                    .map(url -> new FencedTable(url, process, history));
            try (Locks locks = open(plan, arguments[2], "torture-" + process)) {
                new Worker(directory, process, Integer.parseInt(arguments[3]), plan, history, locks, table).work();
            }
            if (table.isPresent()) {
                table.get().close();
            }
            int threads = threadsLeft();
            if (threads > 0) {
                history.add(Kind.LEFT_BEHIND, process, 0, "threads", threads, 0);
            }
        }
        System.exit(0);
    }

    private static Locks open(Plan plan, String mapping, String clientName) {
        String uri = Objects.requireNonNull(System.getenv(STORE), STORE);
        if (plan.driver().equals(Plan.WELLKEEPER)) {
            Duration sessionTimeout = plan.sessionTimeout();
            for (Lock lock : plan.locks()) {
                sessionTimeout = lock.bug().sessionTimeout(sessionTimeout);
            }
            if (Locks.areSimple(uri)) {
                return Locks.simple(uri, clientName, sessionTimeout);
            }
            return PlantedBug.in(Locks.wellkeeper(uri, mapping, clientName, sessionTimeout));
        }
        return ServiceLoader.load(Locks.Opener.class)
                .findFirst()
                .orElseThrow()
                .open(plan.driver(), uri, plan.sessionTimeout());
    }

    /** How many threads of the locks still run a while after the locks were closed. */
    private static int threadsLeft() throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        long threads = threads();
        while (threads > 0 && System.nanoTime() < deadline) {
            TimeUnit.NANOSECONDS.sleep(LOOK.toNanos());
            threads = threads();
        }
        return (int) threads;
    }

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("wellkeeper-"))
                .filter(thread -> !thread.getName().equals("wellkeeper-stores-timer")) // belongs to no client
                .count();
    }

    private void work() throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int number = 0; number < plan.threads(); number++) {
            Random random = new Random(plan.seed() * 1_000_003 + process * 1_009L + number);
            Thread thread = new Thread(() -> visit(random), "visitor-" + number);
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private void visit(Random random) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), resource);
                BufferedReader answers =
                        new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))) {
            socket.setTcpNoDelay(true);
            boolean warm = false; // a process that has just been started loads its classes, which may take seconds
            while (!Files.exists(directory.resolve("stop"))) {
                Lock lock = plan.locks().get(random.nextInt(plan.locks().size()));
                int permits = random.nextInt(3) == 0 ? 1 : lock.permits();
                Optional<Duration> timeout = random.nextInt(4) > 0
                        ? Optional.empty()
                        : Optional.of(Duration.ofMillis(1 + random.nextInt(200)));
                Optional<Duration> interrupted =
                        random.nextInt(8) > 0 || !plan.driver().equals(Plan.WELLKEEPER)
                                ? Optional.empty() // other libraries may keep a lock of an interrupted wait for ever
                                : Optional.of(Duration.ofMillis(random.nextInt(100)));
                Duration length = Duration.ofMillis(random.nextInt(4) == 0 ? random.nextInt(20) : 0);
                cycle(
                        lock,
                        permits,
                        warm ? timeout : Optional.empty(),
                        warm ? interrupted : Optional.empty(),
                        length,
                        socket,
                        answers);
                warm = true;
                TimeUnit.MILLISECONDS.sleep(random.nextInt((int) plan.rest().toMillis()));
            }
        } catch (IOException | InterruptedException | RuntimeException | Error bug) {
            bug.printStackTrace();
            history.add(Kind.BUG, process, 0, bug.getClass().getName(), 0, 0);
        }
    }

    private void burst(String name, long op, int requests) {
        long begin = System.nanoTime();
        locks.burst(name, requests)
                .whenComplete((all, failure) -> say(Kind.BURST_OVER, op, "-", System.nanoTime() - begin, 0));
    }

    /** Acquires, stays inside, and releases. */
    private void cycle(
            Lock lock,
            int permits,
            Optional<Duration> timeout,
            Optional<Duration> interrupted,
            Duration length,
            Socket socket,
            BufferedReader answers)
            throws IOException, InterruptedException {
        long op = ops.incrementAndGet();
        tell("wait " + process + " " + lock.name(), socket);
        Optional<Locks.Grant> entered = acquire(op, lock, permits, timeout, interrupted);
        tell("end", socket);
        if (entered.isEmpty()) {
            return;
        }
        Locks.Grant grant = entered.get();
        long token = grant.token();
        say(Kind.GRANTED, op, "-", token, 0);
        grant.onLost(() -> say(Kind.LOST, op, "-", 0, 0));
        long until = System.nanoTime() + length.toNanos();
        boolean writes = permits == lock.permits() && token != Section.NO_TOKEN;
        boolean held = isHeld(grant, op);
        while (held) {
            if (writes) {
                tell(process + " " + op + " " + lock.name() + " " + token, socket);
                String answer = answers.readLine();
                if (answer == null) {
                    throw new EOFException("the resource has closed the connection");
                }
                String[] wish = answer.split(" ");
                long stay = Long.parseLong(wish[0]);
                if (stay > 0
                        || op % WRITES_TO_ONE_IN_THE_TABLE
                                == 0) { // each holder that must stay inside during a fault writes to it
                    table.ifPresent(there -> there.write(op, lock.name(), token));
                }
                int requests = Integer.parseInt(wish[1]);
                if (requests > 0) {
                    burst(lock.name() + "/" + op, op, requests);
                }
                long latch = Long.parseLong(wish[2]);
                if (latch > 0) {
                    countDown(
                            Plan.latch(plan.seed(), latch),
                            op,
                            System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(stay));
                }
                until = stay > 0 ? System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(stay) : until;
            }
            held = isHeld(grant, op);
            if (System.nanoTime() >= until) {
                break;
            }
            TimeUnit.NANOSECONDS.sleep(LOOK.toNanos());
        }
        say(Kind.RELEASE, op, "-", 0, 0);
        say(Kind.RELEASED, op, "-", grant.release() ? 1 : 0, 0);
    }

    private void countDown(String latch, long op, long until) {
        say(Kind.COUNTED, op, latch, 0, 0);
        while (System.nanoTime() < until) {
            boolean known = locks.countDown(latch);
            say(Kind.COUNTED, op, latch, known ? 1 : 0, known ? 0 : 1);
        }
    }

    private static void tell(String line, Socket socket) throws IOException {
        socket.getOutputStream().write((line + "\n").getBytes(StandardCharsets.US_ASCII));
    }

    /** Acquires; empty if that was in vain, which is then in the history. */
    private Optional<Locks.Grant> acquire(
            long op, Lock lock, int permits, Optional<Duration> timeout, Optional<Duration> interrupted) {
        Interrupt interrupt = new Interrupt(op, Thread.currentThread());
        say(
                Kind.REQUEST,
                op,
                lock.name(),
                permits,
                timeout.map(Duration::toNanos).orElse(-1L));
        interrupted.ifPresent(after -> interrupter.schedule(interrupt::come, after.toNanos(), TimeUnit.NANOSECONDS));
        try {
            Optional<Locks.Grant> entered = locks.acquire(lock, permits, timeout);
            if (entered.isEmpty()) {
                say(Kind.GAVE_UP, op, "-", 0, 0);
            }
            return entered;
        } catch (InterruptedException ended) {
            say(Kind.INTERRUPTED, op, "-", 0, 0);
        } catch (LockStoreException failed) {
            say(Kind.FAILED, op, failed.getClass().getName(), 0, 0);
        } finally {
            interrupt.end();
        }
        return Optional.empty();
    }

    /** An interrupt of a thread, which comes only while the thread waits for this acquisition. */
    private final class Interrupt {

        private final long op;
        private final Thread thread;
        private final ReentrantLock lock = new ReentrantLock();
        private boolean over; // guarded by lock

        Interrupt(long op, Thread thread) {
            this.op = op;
            this.thread = thread;
        }

        void come() {
            lock.lock();
            try {
                if (!over) {
                    say(Kind.INTERRUPT, op, "-", 0, 0);
                    thread.interrupt();
                }
            } finally {
                lock.unlock();
            }
        }

        /** From now on no interrupt comes; one that came too late is cleared. */
        void end() {
            lock.lock();
            try {
                over = true;
            } finally {
                lock.unlock();
            }
            boolean ignored = Thread.interrupted();
        }
    }

    private boolean isHeld(Locks.Grant grant, long op) {
        long before = System.nanoTime();
        boolean held = grant.isHeld();
        long took = System.nanoTime() - before;
        history.add(new Event(before, Kind.HELD, process, op, "-", held ? 1 : 0, took));
        return held;
    }

    private void say(Kind kind, long op, String what, long a, long b) {
        history.add(kind, process, op, what, a, b);
    }
}
