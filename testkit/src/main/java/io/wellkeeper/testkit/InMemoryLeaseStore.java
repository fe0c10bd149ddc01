package io.wellkeeper.testkit;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.LeaseStore;
import io.wellkeeper.spi.LockNames;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A connection to an {@link InMemoryServer} that serves leases: a request for a lock is granted or refused at once.
 * Give each client a connection of its own, as each process has one. A test can break the connection as a network
 * would.
 */
public final class InMemoryLeaseStore implements LeaseStore {

    private final InMemoryServer server;
    private final Link link;
    private final boolean withTokens;

    private InMemoryLeaseStore(InMemoryServer server, Link link, boolean withTokens) {
        this.server = server;
        this.link = link;
        this.withTokens = withTokens;
    }

    /** Uses the connection of another store of the same process. */
    InMemoryLeaseStore(InMemoryTicketStore other) {
        this(other.server(), other.link(), true);
    }

    /**
     * Connects to a server.
     *
     * @param server the server
     */
    public InMemoryLeaseStore(InMemoryServer server) {
        this(server, server.connect(), true);
    }

    /**
     * Connects to a server like a store that cannot give true fencing tokens: its leases have no token.
     *
     * @param server the server
     * @return a connection
     */
    public static InMemoryLeaseStore withoutTokens(InMemoryServer server) {
        return new InMemoryLeaseStore(server, server.connect(), false);
    }

    @Override
    public CompletionStage<Optional<Lease>> tryAcquire(LeaseRequest request) {
        LockNames.check(request.name());
        if (request.ttl().isNegative() || request.ttl().isZero()) {
            throw server.violation("ttl is " + request.ttl());
        }
        return link.request(Request.TRY_ACQUIRE, () -> server.leases().tryAcquire(link, request, withTokens));
    }

    @Override
    public CompletionStage<Boolean> renew(Lease lease, Duration ttl) {
        return link.request(Request.RENEW, () -> server.leases().renew(lease, ttl));
    }

    @Override
    public CompletionStage<Boolean> release(Lease lease) {
        return link.request(Request.RELEASE, () -> server.leases().release(lease));
    }

    @Override
    public Registration onRelease(String name, Runnable hint) {
        LeaseTable.Hint watch = new LeaseTable.Hint(link, hint);
        link.request(Request.WATCH, () -> {
            server.leases().watch(name, watch);
            return null;
        });
        return () -> link.request(Request.UNWATCH, () -> {
            server.leases().unwatch(watch);
            return null;
        });
    }

    /**
     * Breaks the connection. Open requests fail; messages that were on their way may still arrive after {@link #mend}.
     */
    public void cut() {
        server.cut(link);
    }

    /** Ends {@link #cut()}. */
    public void mend() {
        server.mend(link);
    }

    /** Ends, at the server, all leases that were acquired over this connection. */
    public void expireLeases() {
        server.expireLeases(link);
    }

    @Override
    public String address() {
        return server.address();
    }

    @Override
    public String toString() {
        return "InMemoryLeaseStore[" + address() + "]";
    }

    /** Closes the connection only. A lease that was not released expires by the server's clock. */
    @Override
    public void close() {
        server.disconnect(link);
    }
}
