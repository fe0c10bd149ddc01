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
 * Fails a test that leaves something behind: a thread of Wellkeeper, or, if the store can tell, a ticket, watch, lease
 * or session. It looks after all {@code @AfterEach} methods, in which clients are closed, and waits a bounded time for
 * requests that are still on their way.
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
            "wellkeeper-stores-timer"; // shared by all stores; it ends when no store has a timer

    private final Supplier<? extends Collection<String>> leftovers;
    private final Callable<?> finish;
    private Set<Thread> before = Set.of();

    private NoLeftovers(Supplier<? extends Collection<String>> leftovers, Callable<?> finish) {
        this.leftovers = leftovers;
        this.finish = finish;
    }

    /** Looks for threads only. Also used by {@code @ExtendWith(NoLeftovers.class)}. */
    public NoLeftovers() {
        this(List::of, () -> "nothing");
    }

    /**
     * Looks for leftovers of any kind, and for threads.
     *
     * @param leftovers describes the leftovers, each in a sentence; empty if all is well
     * @return an extension, to be registered
     */
    public static NoLeftovers of(Supplier<? extends Collection<String>> leftovers) {
        return new NoLeftovers(leftovers, () -> "nothing");
    }

    /**
     * Looks for leftovers on a server, and for threads; then closes the server.
     *
     * @param server the server of one test
     * @return an extension, to be registered
     */
    public static NoLeftovers of(InMemoryServer server) {
        return of(server::leftovers).thenClose(() -> server);
    }

    /**
     * Looks for leftovers on a server and in its simulated time, and for threads. A task that is still scheduled after
     * all clients were closed is a leftover too.
     *
     * @param server the server of one test
     * @param time the time of the server
     * @return an extension, to be registered
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
     * Closes a resource after looking for other leftovers, and before looking for threads.
     *
     * @param resource returns the resource, such as the server; called after the test
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
