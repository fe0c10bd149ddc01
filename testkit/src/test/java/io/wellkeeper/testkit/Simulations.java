package io.wellkeeper.testkit;

import io.wellkeeper.spi.TicketStore;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** Many schedules, on all cores. */
final class Simulations {

    static final long FIRST = Long.getLong("io.wellkeeper.testkit.firstSeed", 0);
    static final long COUNT = Long.getLong("io.wellkeeper.testkit.seeds", 4_000);
    static final long FURTHER = 46_000; // run only by the tests that are tagged as full

    private static final List<Function<SplittableRandom, SimulatedPrimitive>> PRIMITIVES = List.of(
            random -> new SimulatedMutex(),
            random -> new SimulatedReadWriteLock(),
            SimulatedSemaphore::new,
            random -> new SimulatedMultiLock(),
            random -> new SimulatedCondition());

    private final UnaryOperator<TicketStore> bug;
    private final int enough;
    private final AtomicLong next = new AtomicLong();
    private final AtomicLong ran = new AtomicLong();
    private final AtomicLong granted = new AtomicLong();
    private final List<Long> failed = Collections.synchronizedList(new ArrayList<>());

    /**
     * @param bug makes the stores faulty ones
     * @param enough after how many failures the run ends
     */
    Simulations(UnaryOperator<TicketStore> bug, int enough) {
        this.bug = bug;
        this.enough = enough;
    }

    /** The schedule of a seed; the seed also chooses the kind of lock. */
    static Simulation of(long seed, UnaryOperator<TicketStore> bug, boolean inWords) {
        int kind = (int) Math.floorMod(seed, (long) PRIMITIVES.size());
        return new Simulation(seed, PRIMITIVES.get(kind), bug, inWords);
    }

    /** Runs so many seeds, or until enough have failed. */
    void run(long first, long count, int threads) throws InterruptedException {
        next.set(first);
        List<Thread> workers = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Thread worker = new Thread(() -> work(first + count), "simulation-" + i);
            worker.start();
            workers.add(worker);
        }
        for (Thread worker : workers) {
            worker.join();
        }
    }

    private void work(long end) {
        for (long seed = next.getAndIncrement(); seed < end && failed.size() < enough; seed = next.getAndIncrement()) {
            try {
                Simulation simulation = of(seed, bug, false);
                simulation.run();
                granted.addAndGet(simulation.granted());
            } catch (Throwable wrong) {
                failed.add(seed);
            }
            ran.incrementAndGet();
        }
    }

    long ran() {
        return ran.get();
    }

    long granted() {
        return granted.get();
    }

    List<Long> failed() {
        return failed.stream().sorted().toList();
    }

    /** The history of a seed in words; its end is {@link #verdict}. */
    static String replay(long seed, UnaryOperator<TicketStore> bug) {
        Simulation simulation = of(seed, bug, true);
        String end = verdict(simulation);
        return "seed " + seed + "\n" + String.join("\n", simulation.history().words()) + "\n" + end;
    }

    /** Runs a seed and says what is wrong. */
    static String verdict(long seed, UnaryOperator<TicketStore> bug) {
        return verdict(of(seed, bug, false));
    }

    private static String verdict(Simulation simulation) {
        try {
            simulation.run();
            return "all is well";
        } catch (Throwable wrong) {
            return String.valueOf(wrong.getMessage());
        }
    }
}
