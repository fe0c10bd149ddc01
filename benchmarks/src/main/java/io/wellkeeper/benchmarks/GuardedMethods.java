package io.wellkeeper.benchmarks;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockOptions;
import io.wellkeeper.spring.EnableLocked;
import io.wellkeeper.spring.Locked;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/**
 * The cost of {@link Locked} besides that of the lock itself, over a store in memory. With retained tickets a cycle
 * asks the store nothing: then the cost of the annotation shows most.
 */
@BenchmarkMode(Mode.AverageTime)
@Fork(2)
@Measurement(iterations = 5, time = 1)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Benchmark)
@SuppressWarnings("NullAway.Init") // JMH sets the fields
@Warmup(iterations = 5, time = 1)
public class GuardedMethods {

    /** Whether tickets are retained. */
    @Param({"false", "true"})
    public boolean retain;

    private InMemoryServer server;
    private AnnotationConfigApplicationContext context;
    private LockClient client;
    private DistributedLock lock;
    private Orders orders;
    private Orders plain;
    private long id;

    /** Switches the annotation on. */
    @EnableLocked
    static class Locking {}

    /** The guarded methods. */
    static class Orders {

        long shipped;

        long ship(long id) {
            shipped += id;
            return shipped;
        }

        @Locked("orders")
        public long shipOne(long id) {
            return ship(id);
        }

        @Locked("order/#{#id}")
        public long shipNamed(long id) {
            return ship(id);
        }
    }

    /** Starts. */
    @Setup
    public void open() {
        server = new InMemoryServer();
        LockOptions locks = LockOptions.builder().retain(retain).build();
        ClientOptions options = ClientOptions.builder().lockDefaults(locks).build();
        context = new AnnotationConfigApplicationContext();
        context.registerBean(LockClient.class, () -> LockClient.over(new InMemoryTicketStore(server), options));
        context.register(Locking.class, Orders.class);
        context.refresh();
        client = context.getBean(LockClient.class);
        lock = client.lock("plain");
        orders = context.getBean(Orders.class);
        plain = new Orders();
        id = 42;
    }

    /** Stops. */
    @TearDown
    public void close() {
        context.close();
        server.close();
    }

    /** {@code lock()} and {@code unlock()}. */
    @Benchmark
    public long lockAndUnlock() {
        lock.lock();
        try {
            return plain.ship(id);
        } finally {
            lock.unlock();
        }
    }

    /** A handle of a lock whose name is made each time. */
    @Benchmark
    public long handle() throws InterruptedException {
        try (LockHandle handle = client.lock("handle/" + id).acquire()) {
            return plain.ship(id);
        }
    }

    /** A guarded method with a plain name. */
    @Benchmark
    public long guarded() {
        return orders.shipOne(id);
    }

    /** A guarded method with an expression in its name. */
    @Benchmark
    public long guardedByExpression() {
        return orders.shipNamed(id);
    }
}
