package io.wellkeeper.testkit;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A JUnit extension that gives each test an {@link InMemoryServer} of its own, with as many clients as the test asks for.
 * After the test it closes the clients and the server, and fails a test that has passed but left a lock held or waited for.
 *
 * <pre>{@code
 * @RegisterExtension
 * final InMemoryLocks locks = new InMemoryLocks();
 *
 * @Test
 * void ship_anotherProcessIsAtIt_isRefused() {
 *     try (LockHandle other = locks.client("another process").lock("order/1").tryAcquire().orElseThrow()) {
 *         assertThat(new Shipping(locks.client()).ship(1)).isFalse();
 *     }
 * }
 * }</pre>
 *
 * <p>Clients of different names behave like different processes: each has a {@linkplain #connection connection} that
 * can be cut and a session that can end. Fields of a test class may call {@link #client()} too, because JUnit makes an
 * instance of the class for each test. Not thread-safe, but the clients, connections and servers that it returns are.
 */
public final class InMemoryLocks implements AfterEachCallback {

    private static final String CLIENT = "client";
    private static final Duration PATIENCE = Duration.ofSeconds(2);
    private static final Duration LOOK_AGAIN = Duration.ofMillis(1);

    private final ClientOptions options;
    private final boolean mayStayHeld;
    private InMemoryServer server = new InMemoryServer();
    private final Map<String, InMemoryTicketStore> connections = new HashMap<>();
    private final Map<String, LockClient> clients = new HashMap<>();
    private final Map<String, LeaseClient> leaseClients = new HashMap<>();

    /** Makes clients with the default options. */
    public InMemoryLocks() {
        this(ClientOptions.defaults());
    }

    /**
     * Makes clients with other options, such as a listener.
     *
     * @param options the options of all clients, except for the client's name
     */
    public InMemoryLocks(ClientOptions options) {
        this(options, false);
    }

    private InMemoryLocks(ClientOptions options, boolean mayStayHeld) {
        this.options = options;
        this.mayStayHeld = mayStayHeld;
    }

    /**
     * {@return an extension with the same options that lets a test end while a lock is held, such as by a leader or by
     * a client that
     * {@linkplain io.wellkeeper.LockOptions#retain() retains} it}
     */
    public InMemoryLocks mayStayHeld() {
        return new InMemoryLocks(options, true);
    }

    /** {@return the client for the code under test; all calls within one test return the same client} */
    public LockClient client() {
        return client(CLIENT);
    }

    /**
     * A client like that of another process. All calls with the same name within one test return the same client.
     *
     * @param name the client's name, which other clients see
     * @return the client; it is closed after the test
     */
    public LockClient client(String name) {
        return clients.computeIfAbsent(name, absent -> LockClient.over(connection(name), named(name)));
    }

    /**
     * A client of leases. Its locks have nothing to do with those of a {@link LockClient}.
     *
     * @param name the client's name; all calls with the same name within one test return the same client
     * @return the client; it is closed after the test
     */
    public LeaseClient leaseClient(String name) {
        return leaseClients.computeIfAbsent(
                name, absent -> LeaseClient.over(new InMemoryLeaseStore(server), named(name)));
    }

    /**
     * The connection of a {@link LockClient}, so that a test can {@linkplain InMemoryTicketStore#cut() cut} it, or
     * {@linkplain InMemoryTicketStore#expireSessions() end the client's session}.
     *
     * @param name the client's name
     * @return the connection that {@link #client(String)} uses, also if the client does not exist yet
     */
    public InMemoryTicketStore connection(String name) {
        return connections.computeIfAbsent(name, absent -> new InMemoryTicketStore(server));
    }

    /**
     * {@return the server of this test, so that the test can {@linkplain InMemoryServer#freeze() freeze} it or
     * {@linkplain InMemoryServer#delay slow it down}}
     */
    public InMemoryServer server() {
        return server;
    }

    @Override
    public void afterEach(ExtensionContext context) {
        List<String> held = mayStayHeld || context.getExecutionException().isPresent() ? List.of() : stillHeld(server);
        List<LockSource> open = new ArrayList<>(clients.values());
        open.addAll(leaseClients.values());
        clients.clear();
        leaseClients.clear();
        connections.clear();
        open.forEach(LockSource::close);
        server.close();
        server = new InMemoryServer();
        if (!held.isEmpty()) {
            throw new AssertionError(
                    "the test has left locks held or waited for: " + held + "; release them, or say mayStayHeld()");
        }
    }

    /**
     * Waits a while: the release of a lock shortly before the end of the test may still be on its way to the server.
     */
    private static List<String> stillHeld(InMemoryServer server) {
        long start = System.nanoTime();
        List<String> held = server.names();
        while (!held.isEmpty() && System.nanoTime() - start < PATIENCE.toNanos()) {
            LockSupport.parkNanos(LOOK_AGAIN.toNanos());
            held = server.names();
        }
        return held;
    }

    private ClientOptions named(String name) {
        return options.toBuilder().clientName(name).build();
    }
}
