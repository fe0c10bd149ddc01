package io.wellkeeper.spring.boot;

import io.wellkeeper.Deadlock;
import io.wellkeeper.LockAdmin;
import io.wellkeeper.LockBreak;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockStatus;
import io.wellkeeper.Participant;
import io.wellkeeper.spi.LockNames;
import java.security.Principal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * Shows who holds the locks of the application's store and who waits for them, in all processes. To ask holders to give
 * a lock up, or to take it away from them, {@code management.endpoint.locks.access} must be {@code unrestricted}.
 *
 * <p>These two operations get the name of the lock by a parameter, which arrives as it was sent. To look at one lock,
 * its name may also be the rest of the path. Servers change paths: {@code a//b} and {@code a;c/b} show {@code a/b}. So
 * the answer says which lock it is about, and a path is used only to look.
 */
@Endpoint(id = "locks", defaultAccess = Access.READ_ONLY)
public final class LocksEndpoint {

    private static final Logger LOG = LoggerFactory.getLogger(LocksEndpoint.class);
    private static final int MAX_REASON = 1024;

    private final LockAdmin admin;

    /**
     * @param client the client whose store is shown
     */
    public LocksEndpoint(LockClient client) {
        this.admin = client.admin();
    }

    /**
     * Locks in use.
     *
     * @param names their names; by now some of the locks may not be held any more
     * @param deadlocks threads that wait for each other; null if they were not asked for
     * @param warnings what is set up badly at the store; null if they were not asked for
     */
    public record Locks(
            List<String> names,
            @Nullable List<List<Wait>> deadlocks,
            @Nullable List<String> warnings) {}

    /**
     * One thread of a deadlock.
     *
     * @param who the thread that waits
     * @param wants the lock that the thread waits for
     * @param holds the lock that the thread holds, and that the thread before it in the circle wants
     */
    public record Wait(Somebody who, String wants, String holds) {

        private static Wait of(Deadlock.Waiting waiting) {
            return new Wait(Somebody.of(waiting.who()), waiting.wants(), waiting.holds());
        }
    }

    /**
     * One lock.
     *
     * @param name the lock's name
     * @param holders the holders
     * @param waiters the waiters, first come first
     * @param lastBreak when the lock was last broken, as far as is known
     */
    public record Lock(
            String name,
            List<Somebody> holders,
            List<Somebody> waiters,
            @Nullable LockBreak lastBreak) {

        private static Lock of(LockStatus status) {
            return new Lock(
                    status.name(),
                    status.holders().stream().map(Somebody::of).toList(),
                    status.waiters().stream().map(Somebody::of).toList(),
                    status.lastBreak().orElse(null));
        }
    }

    /**
     * A holder of a lock or a waiter for it.
     *
     * @param permits the number of permits of a semaphore; 1 for a lock
     * @param client the client's name
     * @param host the machine on which the client runs
     * @param pid the client's process id there
     * @param thread the thread that wants the lock
     * @param reason why the thread wants the lock
     * @param labels the labels of the acquisition
     * @param since when it took its number
     * @param waited how long ago it took its number
     * @param fencingToken as text, because numbers in JavaScript are not as large; null if the store does not show it
     */
    public record Somebody(
            int permits,
            String client,
            String host,
            long pid,
            String thread,
            String reason,
            Map<String, String> labels,
            Instant since,
            Duration waited,
            @Nullable String fencingToken) {

        private static Somebody of(Participant seen) {
            return new Somebody(
                    seen.permits(),
                    seen.clientName(),
                    seen.host(),
                    seen.pid(),
                    seen.thread(),
                    seen.reason(),
                    seen.labels(),
                    seen.since(),
                    seen.waited(),
                    seen.fencingToken().isPresent()
                            ? Long.toString(seen.fencingToken().getAsLong())
                            : null);
        }
    }

    /**
     * The result of a request to give a lock up.
     *
     * @param name the lock's name
     * @param asked how many holders were asked
     */
    public record Revoked(String name, int asked) {}

    /**
     * The result of taking a lock away.
     *
     * @param name the lock's name
     * @param holders the former holders
     */
    public record Broken(String name, List<Somebody> holders) {}

    /**
     * {@return the names of locks in use} See {@link LockAdmin} for what each question costs.
     *
     * @param prefix the beginning of the names; all names if it is missing
     * @param deadlocks whether to look for deadlocks too
     * @param warnings whether to ask also what is set up badly at the store
     */
    @ReadOperation
    public Locks locks(@Nullable String prefix, @Nullable Boolean deadlocks, @Nullable Boolean warnings) {
        return new Locks(
                admin.names(prefix == null ? "" : prefix),
                Boolean.TRUE.equals(deadlocks)
                        ? admin.deadlocks().stream()
                                .map(deadlock ->
                                        deadlock.circle().stream().map(Wait::of).toList())
                                .toList()
                        : null,
                Boolean.TRUE.equals(warnings) ? admin.storeWarnings() : null);
    }

    /**
     * {@return who holds one lock and who waits for it}
     *
     * @param name the lock's name, as the parts of the path between slashes
     */
    @ReadOperation
    public Lock lock(@Selector(match = Match.ALL_REMAINING) String[] name) {
        return Lock.of(admin.inspect(checked(String.join("/", name))));
    }

    /**
     * Asks the holders of a lock to give it up.
     *
     * @param name the lock's name
     * @param reason in a sentence; the name of the user is added to it
     * @param security the user who asks
     * @return how many holders were asked
     */
    @WriteOperation
    public Revoked revoke(String name, String reason, SecurityContext security) {
        String signed = signed(reason, security);
        int asked = admin.requestRevocation(checked(name), signed);
        LOG.info("the {} holders of lock '{}' were asked to give it up: {}", asked, printable(name), signed);
        return new Revoked(name, asked);
    }

    /**
     * Takes a lock away from its holders.
     *
     * @param name the lock's name
     * @param reason in a sentence; the name of the user is added to it
     * @param security the user who takes the lock away
     * @return the former holders
     */
    @DeleteOperation
    public Broken breakLock(String name, String reason, SecurityContext security) {
        String signed = signed(reason, security);
        List<Somebody> holders = admin.breakLock(checked(name), signed).stream()
                .map(Somebody::of)
                .toList();
        LOG.info("lock '{}' was taken away from its {} holders: {}", printable(name), holders.size(), signed);
        return new Broken(name, holders);
    }

    /** Returns the name if it is valid; else throws an exception that blames the request. */
    private static String checked(String name) {
        try {
            return LockNames.check(name);
        } catch (IllegalArgumentException wrong) {
            throw new InvalidEndpointRequestException(String.valueOf(wrong.getMessage()), "no lock has such a name");
        }
    }

    private static String signed(String reason, SecurityContext security) {
        Principal principal = security.getPrincipal();
        String who = principal == null ? "somebody who has not logged in" : principal.getName();
        String signed = printable(reason) + " (" + printable(who) + ", by the endpoint)";
        if (signed.length() > MAX_REASON) {
            throw new InvalidEndpointRequestException(
                    "the reason is too long", "with who gives it, at most " + MAX_REASON + " characters are allowed");
        }
        return signed;
    }

    /** The text with blanks for control characters, which could begin a new line in a log. */
    private static String printable(String text) {
        return text.replaceAll("\\p{Cntrl}", " ");
    }
}
