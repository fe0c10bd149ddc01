package io.wellkeeper.benchmarks;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * The cost of cycles with no or few requests to the server. Needs the store and the server's URI as system properties.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class InProcess {

    static final String STORE = "wellkeeper.benchmarks.store";
    static final String URI = "wellkeeper.benchmarks.uri";

    private static final String NAME = "in-process";

    /** The locks of all threads. */
    @State(Scope.Benchmark)
    @SuppressWarnings("NullAway.Init") // JMH sets the fields
    public static class Shared {

        /** The contestant. */
        @Param({"DEFAULT", "RETAINED", "MUTEX"})
        public String contestant;

        private Locks locks;

        /** Connects. */
        @Setup
        public void open() throws Exception {
            Store store = Store.valueOf(System.getProperty(STORE, ""));
            locks = Locks.open(store, Contestant.valueOf(contestant), System.getProperty(URI, ""));
        }

        /** Disconnects. */
        @TearDown
        public void close() {
            locks.close();
        }
    }

    /** One thread's lock. */
    @State(Scope.Thread)
    @SuppressWarnings("NullAway.Init") // JMH sets the fields
    public static class Own {

        private Locks.CycleLock lock;

        /** Makes the lock. */
        @Setup
        public void open(Shared shared) {
            lock = shared.locks.lock(NAME);
        }
    }

    /** One thread's lock, held. */
    @State(Scope.Thread)
    @SuppressWarnings("NullAway.Init") // JMH sets the fields
    public static class Held {

        private Locks.CycleLock lock;

        /** Acquires the lock, on the thread that will use it. */
        @Setup(Level.Iteration)
        public void acquire(Shared shared) throws Exception {
            lock = shared.locks.lock(NAME);
            lock.acquire();
        }

        /** Releases the lock. */
        @TearDown(Level.Iteration)
        public void release() throws Exception {
            lock.release();
        }
    }

    /** Acquires and releases. */
    @Benchmark
    public void cycle(Own own) throws Exception {
        own.lock.acquire();
        own.lock.release();
    }

    /** Acquires a held lock once more, and releases it once. */
    @Benchmark
    public void reentrantCycle(Held held) throws Exception {
        held.lock.acquire();
        held.lock.release();
    }
}
