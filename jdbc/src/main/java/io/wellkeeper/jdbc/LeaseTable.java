package io.wellkeeper.jdbc;

import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.LeaseStore;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;

/** What the stores of leases have in common: one statement for each call, on threads of the store's own. */
abstract sealed class LeaseTable implements LeaseStore permits LeaseTableStore, ShedLockLeaseStore, IntLockLeaseStore {

    private static final Duration SMALLEST_DRIFT = Duration.ofMillis(2);
    private static final int DRIFT_DIVISOR = 100;
    private static final Duration LONGEST_PATIENCE = Duration.ofSeconds(5);
    private static final Duration SHORTEST_PATIENCE = Duration.ofMillis(1500); // longer than a database waits for a row

    private final LeaseTableWork work;
    private final boolean tokens;

    /**
     * @param tokens whether the number of a lease is a fencing token
     */
    LeaseTable(Database.Source source, String address, LeaseTableLayout layout, boolean tokens) {
        this.work = new LeaseTableWork(source, address, layout);
        this.tokens = tokens;
    }

    /**
     * How the layout calls a lock and its owner.
     *
     * @return parameters of the statements
     * @throws IllegalArgumentException if the layout cannot hold them
     */
    abstract Map<String, String> columns(String name, String owner);

    @Override
    public CompletionStage<Optional<Lease>> tryAcquire(LeaseRequest request) {
        Map<String, Object> parameters = new HashMap<>(columns(request.name(), request.owner()));
        parameters.put("micros", micros(request.ttl()));
        parameters.put("metadata", request.metadata());
        return Stages.map(
                work.run(request.name(), LeaseTableStep.ACQUIRE, parameters, patience(request.ttl())),
                number -> number == 0 ? Optional.empty() : Optional.of(lease(request, number)));
    }

    private Lease lease(LeaseRequest request, long number) {
        return new Lease(
                request.name(),
                request.owner(),
                tokens ? OptionalLong.of(number) : OptionalLong.empty(),
                validity(request.ttl()));
    }

    @Override
    public CompletionStage<Boolean> renew(Lease lease, Duration ttl) {
        Map<String, Object> parameters = parameters(lease);
        parameters.put("micros", micros(ttl));
        return Stages.map(work.run(lease.name(), LeaseTableStep.RENEW, parameters, patience(ttl)), rows -> rows > 0);
    }

    @Override
    public CompletionStage<Boolean> release(Lease lease) {
        return Stages.map(
                work.run(lease.name(), LeaseTableStep.RELEASE, parameters(lease), patience(lease.validity())),
                rows -> rows > 0);
    }

    private Map<String, Object> parameters(Lease lease) {
        Map<String, Object> parameters = new HashMap<>(columns(lease.name(), lease.owner()));
        parameters.put("token", lease.token().orElse(0));
        return parameters;
    }

    private static long micros(Duration ttl) {
        return ttl.toNanos() / 1_000;
    }

    /** How long to wait for the answer to a request; a later answer would be of little use. */
    private static Duration patience(Duration ttl) {
        Duration quarter = ttl.dividedBy(4);
        if (quarter.compareTo(SHORTEST_PATIENCE) < 0) {
            return SHORTEST_PATIENCE;
        }
        return quarter.compareTo(LONGEST_PATIENCE) < 0 ? quarter : LONGEST_PATIENCE;
    }

    /**
     * For how long a holder may rely on a row with this time to live: for a hundredth and 2 ms less, because clocks run
     * at different speeds and some tables keep milliseconds only.
     */
    static Duration validity(Duration ttl) {
        Duration rest = ttl.minus(ttl.dividedBy(DRIFT_DIVISOR)).minus(SMALLEST_DRIFT);
        return rest.isNegative() ? Duration.ZERO : rest;
    }

    @Override
    public String address() {
        return work.address();
    }

    @Override
    public String toString() {
        return getClass().getSimpleName() + "[" + address() + "]";
    }

    /** Ends the connections; leases that were not released end by the database's clock. */
    @Override
    public void close() {
        work.close();
    }
}
