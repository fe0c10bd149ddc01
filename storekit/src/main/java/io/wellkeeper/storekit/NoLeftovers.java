package io.wellkeeper.storekit;

import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.SimulatedTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a test that leaves something behind: a thread of Wellkeeper's, or, on a store that can tell, a ticket, watch,
 * lease or session. It looks after all {@code @AfterEach} methods, where clients are closed, and waits a bounded time for
 * what is still on its way.
 *
 * <pre>{@code
 * private final InMemoryServer server = new InMemoryServer();
 *
 * @RegisterExtension
 * final NoLeftovers noLeftovers = NoLeftovers.of(server);
 * }</pre>
 */
public final class NoLeftovers implements BeforeEachCallback, AfterEachCallback {

    private static final String THREADS = "wellkeeper-";
    private static final String SHARED =
            "wellkeeper-stores-timer"; // is of all stores together, and ends when none has an alarm

    private final Supplier<? extends Collection<String>> leftovers;
    private final Callable<?> finish;
    private Set<Thread> before = Set.of();

    private NoLeftovers(Supplier<? extends Collection<String>> leftovers, Callable<?> finish) {
        this.leftovers = leftovers;
        this.finish = finish;
    }

    /** Looks for threads only. Also what {@code @ExtendWith(NoLeftovers.class)} makes. */
    public NoLeftovers() {
        this(List::of, () -> "nothing");
    }

    /**
     * Looks for whatever can be listed, and for threads.
     *
     * @param leftovers describes what is left, each in a sentence; empty when all is well
     * @return to be registered as an extension
     */
    public static NoLeftovers of(Supplier<? extends Collection<String>> leftovers) {
        return new NoLeftovers(leftovers, () -> "nothing");
    }

    /**
     * Looks on a server, and for threads; then closes the server.
     *
     * @param server the server of one test
     * @return to be registered as an extension
     */
    public static NoLeftovers of(InMemoryServer server) {
        return of(server::leftovers).thenClose(() -> server);
    }

    /**
     * Looks on a server and its simulated time, and for threads. What is scheduled after every client was closed is left
     * behind too.
     *
     * @param server the server of one test
     * @param time its time
     * @return to be registered as an extension
     */
    public static NoLeftovers of(InMemoryServer server, SimulatedTime time) {
        return of(() -> {
            time.runUntilIdle();
            List<String> found = new ArrayList<>(server.leftovers());
            if (time.pending() > 0) {
                found.add(time.pending() + " scheduled tasks");
            }
            return found;
        });
    }

    /**
     * Closes something after it has looked, before it looks for threads.
     *
     * @param resource such as the server; asked for after the test
     */
    NoLeftovers thenClose(Supplier<? extends AutoCloseable> resource) {
        return new NoLeftovers(leftovers, () -> {
            resource.get().close();
            return "closed";
        });
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        before = threads();
    }

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        try {
            Await.until(
                    () -> "no leftovers; there are " + leftovers.get(),
                    () -> leftovers.get().isEmpty());
        } finally {
            finish.call();
        }
        Await.until(
                () -> "no threads of Wellkeeper's; there are " + newThreads(),
                () -> newThreads().isEmpty());
    }

    private Set<Thread> newThreads() {
        Set<Thread> now = threads();
        now.removeAll(before);
        return now;
    }

    private static Set<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith(THREADS))
                .filter(thread -> !thread.getName().equals(SHARED))
                .collect(Collectors.toSet());
    }
}
