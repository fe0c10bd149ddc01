package io.wellkeeper.internal;

import io.wellkeeper.Deadlock;
import io.wellkeeper.LockAdmin;
import io.wellkeeper.LockBreak;
import io.wellkeeper.LockStatus;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.Participant;
import io.wellkeeper.spi.LockNames;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketInfo;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Looks at the locks of a store, and takes them away, by the session of one client. */
final class Administration implements LockAdmin {

    private static final int MAX_REASON = 1024;
    private static final int REQUESTS_AT_ONCE = 64; // of one call that makes many of them
    private static final int HEARTBEATS = 3; // at least as many within one session timeout

    private final TicketClient client;

    Administration(TicketClient client) {
        this.client = client;
    }

    @Override
    public LockStatus inspect(String name) {
        LockNames.check(name);
        Snapshot seen = client.ask(name, session -> Snapshot.inspect(session.queue(name)));
        return new LockStatus(
                name, participants(seen.holders()), participants(seen.waiters()), Breaking.read(seen.form()));
    }

    private static List<Participant> participants(List<TicketInfo> infos) {
        Instant now = Instant.now();
        return infos.stream().map(info -> Metadata.read(info, now)).toList();
    }

    @Override
    public List<String> names(String prefix) {
        return client.ask("", session -> session.names(prefix)).stream()
                .filter(name -> !name.startsWith(LockNames.RESERVED))
                .sorted()
                .toList();
    }

    @Override
    public int requestRevocation(String name, String reason) {
        LockNames.check(name);
        checkReason(reason);
        Snapshot seen = client.ask(name, session -> Snapshot.list(session.queue(name)));
        if (!seen.holders().isEmpty()) {
            Revocation request = Revocation.of(seen.holdersNumbers(), client.clientName(), reason);
            client.repin(name, notice -> request.pinTo(notice, seen::mayHaveAnyOf));
        }
        return seen.holders().size();
    }

    /** Posts the notice first, so that a holder that finds its ticket gone can read why. */
    @Override
    public List<Participant> breakLock(String name, String reason) {
        LockNames.check(name);
        checkReason(reason);
        while (true) {
            LiveSession own = client.await(client.within(name, CompletableFuture::completedFuture));
            own.beginBreak();
            try {
                Snapshot seen = look(name);
                if (client.session(name) == own) { // else the tickets may be of a later session that knows no break
                    breakHolders(name, reason, seen, own);
                    return participants(seen.holders());
                }
            } finally {
                own.endBreak();
            }
        }
    }

    private Snapshot look(String name) {
        return client.ask(name, session -> Snapshot.inspect(session.queue(name)));
    }

    /** @param own the session of this client's own tickets among those seen; it knows that a lock is being broken */
    private void breakHolders(String name, String reason, Snapshot seen, LiveSession own) {
        List<TicketInfo> holders = seen.holders();
        if (!holders.isEmpty()) {
            LockBreak what = new LockBreak(client.clientName(), reason, Instant.now());
            client.repin(name, notice -> Breaking.pinTo(notice, seen.holdersNumbers(), what));
            removeAll(name, holders, own);
            removeMilder(name, holders, own);
        }
    }

    /**
     * Also removes milder tickets that have replaced the removed ones meanwhile. A ticket cannot become milder for
     * ever.
     */
    private void removeMilder(String name, List<TicketInfo> broken, LiveSession own) {
        List<TicketInfo> replaceable =
                broken.stream().filter(info -> info.ticket().isReplaceable()).toList();
        if (!replaceable.isEmpty()) {
            List<TicketInfo> milder = look(name).holders().stream()
                    .filter(info -> replaceable.stream().anyMatch(old -> isInPlaceOf(info.ticket(), old.ticket())))
                    .toList();
            removeAll(name, milder, own);
            removeMilder(name, milder, own);
        }
    }

    private static boolean isInPlaceOf(Ticket milder, Ticket old) {
        return milder.number() == old.number()
                && milder.session().equals(old.session())
                && (milder.mode().compareTo(old.mode()) > 0 || milder.permits() < old.permits());
    }

    /**
     * Removes these tickets, several at once. Throws the first failure when all removals have been requested, with the
     * other failures as suppressed.
     */
    private void removeAll(String name, List<TicketInfo> holders, LiveSession own) {
        Deque<CompletableFuture<?>> removals = new ArrayDeque<>();
        RuntimeException refused = null;
        for (int i = 0; i < holders.size() || !removals.isEmpty(); i++) {
            if (i < holders.size()) {
                removals.add(remove(name, holders.get(i).ticket(), own));
            }
            if (removals.size() >= REQUESTS_AT_ONCE || i >= holders.size() - 1) {
                try {
                    client.await(removals.remove());
                } catch (LockStoreException failed) {
                    if (refused == null) {
                        refused = failed;
                    } else {
                        refused.addSuppressed(failed);
                    }
                }
            }
        }
        if (refused != null) {
            throw refused;
        }
    }

    /**
     * Removes one ticket. A ticket of this client's own is given back as its holder would do it, again and again until
     * it is gone, because the next waiter may have been told already. Its holder is told first: the store need not tell
     * a session of tickets that the session removes itself.
     */
    private CompletableFuture<?> remove(String name, Ticket ticket, LiveSession own) {
        if (!own.id().equals(ticket.session())) {
            return client.query(
                    name,
                    session -> session.queue(name).remove(ticket).whenComplete((gone, failure) -> {
                        if (failure == null) {
                            client.departed(name, ticket); // also if the answer comes late
                        } else {
                            client.mayHaveDeparted(name);
                        }
                    }));
        }
        own.broken(name, ticket);
        Gate gate = client.gateInUse(name);
        if (gate != null) {
            gate.departed(ticket);
        }
        return client.within(name, any -> own.giveBack(name, own.queue(name), ticket));
    }

    private static void checkReason(String reason) {
        if (reason.length() > MAX_REASON) {
            throw new IllegalArgumentException(
                    "reason has " + reason.length() + " characters; at most " + MAX_REASON + " are allowed");
        }
    }

    /** Reads these queues, several at once. */
    private Map<String, Snapshot> look(Collection<String> names) {
        Map<String, Snapshot> seen = new LinkedHashMap<>();
        Map<String, CompletableFuture<Snapshot>> reads = new LinkedHashMap<>();
        for (String name : names) {
            reads.put(name, client.query(name, session -> Snapshot.inspect(session.queue(name))));
            if (reads.size() == REQUESTS_AT_ONCE) {
                await(reads, seen);
            }
        }
        await(reads, seen);
        return seen;
    }

    private void await(Map<String, CompletableFuture<Snapshot>> reads, Map<String, Snapshot> seen) {
        reads.forEach((name, read) -> seen.put(name, client.await(read)));
        reads.clear();
    }

    @Override
    public List<Deadlock> deadlocks() {
        return DeadlockSearch.among(look(names("")), this::lookAgain);
    }

    /** Reads these queues after a pause, so that each ticket has been described anew since the first look. */
    private Map<String, Snapshot> lookAgain(Collection<String> names) {
        client.pause(client.options().sessionTimeout().dividedBy(HEARTBEATS));
        return look(names);
    }

    @Override
    public List<String> storeWarnings() {
        return client.ask("", Session::warnings);
    }

    @Override
    public String toString() {
        return client.describe(LockAdmin.class, client.describeStore());
    }
}
