package io.wellkeeper.testkit;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.LeaseRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** The leases of all names. All of it is guarded by the server's lock. */
final class LeaseTable {

    private final InMemoryServer server;
    private final Map<String, Held> living = new LinkedHashMap<>();
    private final Map<String, Long> tokens = new HashMap<>(); // the last token of each name; never removed
    private final Map<Hint, String> hints = new LinkedHashMap<>();

    private static final class Held {
        final Lease lease;
        final Link link;
        long deadline;
        Registration alarm = Registration.NONE;

        Held(Lease lease, Link link, long deadline) {
            this.lease = lease;
            this.link = link;
            this.deadline = deadline;
        }
    }

    /** A callback of a client that is told when a lock may have become free. */
    static final class Hint {
        final Link link;
        final Runnable hint;

        Hint(Link link, Runnable hint) {
            this.link = link;
            this.hint = hint;
        }
    }

    LeaseTable(InMemoryServer server) {
        this.server = server;
    }

    Optional<Lease> tryAcquire(Link link, LeaseRequest request, boolean withToken) {
        Held held = living.get(request.name());
        if (held != null) {
            if (!held.lease.owner().equals(request.owner())) {
                return Optional.empty();
            }
            prolong(held, request.ttl());
            return Optional.of(held.lease);
        }
        long token = tokens.merge(request.name(), 1L, Long::sum);
        Lease lease = new Lease(
                request.name(),
                request.owner(),
                withToken ? OptionalLong.of(token) : OptionalLong.empty(),
                validity(request.ttl()));
        Held added = new Held(lease, link, server.time().nanoTime());
        living.put(request.name(), added);
        prolong(added, request.ttl());
        return Optional.of(lease);
    }

    /** A hundredth less than the ttl: stores whose clock is not that of the client take off the same. */
    private static Duration validity(Duration ttl) {
        return ttl.minus(ttl.dividedBy(100));
    }

    boolean renew(Lease lease, Duration ttl) {
        Held held = living.get(lease.name());
        if (held == null || !held.lease.owner().equals(lease.owner())) {
            return false;
        }
        prolong(held, ttl);
        return true;
    }

    private void prolong(Held held, Duration ttl) {
        long until = server.time().nanoTime() + ttl.toNanos();
        if (until - held.deadline <= 0) {
            return; // a later request has prolonged the lease further
        }
        held.alarm.close();
        held.deadline = until;
        held.alarm = server.time().schedule(ttl, () -> server.locked(() -> expireLate(held)));
    }

    private boolean expireLate(Held held) {
        return living.get(held.lease.name()) == held
                && !server.isFrozen()
                && held.deadline - server.time().nanoTime() <= 0
                && release(held.lease);
    }

    /** Ends the leases that fell due while the server was frozen. */
    void expireLate() {
        List.copyOf(living.values()).forEach(this::expireLate);
    }

    boolean release(Lease lease) {
        Held held = living.get(lease.name());
        if (held == null || !held.lease.owner().equals(lease.owner())) {
            return false;
        }
        held.alarm.close();
        living.remove(lease.name());
        hints.forEach((hint, name) -> {
            if (name.equals(lease.name())) {
                hint.link.tellNews(hint.hint);
            }
        });
        return true;
    }

    void expire(Link link) {
        for (Held held : List.copyOf(living.values())) {
            if (held.link == link) {
                release(held.lease);
            }
        }
    }

    void watch(String name, Hint hint) {
        hints.put(hint, name);
    }

    void unwatch(Hint hint) {
        hints.remove(hint);
    }

    int count(String name) {
        return living.containsKey(name) ? 1 : 0;
    }

    List<String> names() {
        return List.copyOf(living.keySet());
    }

    List<String> leftovers() {
        List<String> found = new ArrayList<>();
        living.values().forEach(held -> found.add("lease " + held.lease));
        hints.values().forEach(name -> found.add("watch on the lease of lock '" + name + "'"));
        return found;
    }
}
