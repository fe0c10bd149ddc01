package io.wellkeeper.testkit;

import io.wellkeeper.spi.SessionListener;
import io.wellkeeper.spi.SessionOptions;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A store of locks in this JVM. Each client connects to it with an {@link InMemoryTicketStore} or an
 * {@link InMemoryLeaseStore} of its own, as a process connects to a server. Requests travel to the server and replies
 * travel back, both in order, and a test can delay them or lose replies. All callbacks come on one daemon thread of the
 * server, or, under {@link SimulatedTime}, on the thread that moves time; never on the thread of the caller. Tests
 * under JUnit need only {@link InMemoryLocks}; without JUnit:
 *
 * <pre>{@code
 * try (InMemoryServer server = new InMemoryServer();
 *         InMemoryTicketStore connection = new InMemoryTicketStore(server);
 *         LockClient client = LockClient.over(connection)) {
 *     ...
 * }
 * }</pre>
 *
 * <p>It is as strict as the laws of {@link io.wellkeeper.spi.TicketStore} allow: ticket numbers begin anew when a queue
 * is empty, while tokens grow for ever; a session dies by the server's clock when its heartbeats are late; a watcher is
 * not told when its own session removes a ticket; a notice is forgotten with the last ticket. A call that breaks the
 * rules of the SPI gets an exception and is listed in {@link #violations()}. Thread-safe.
 */
public final class InMemoryServer implements AutoCloseable {

    private static final AtomicInteger COUNT = new AtomicInteger();

    private final String address = "memory-" + COUNT.incrementAndGet();
    private final Time time;
    private final Runnable stopTime;
    private final Instant started = Instant.now();
    private final long startedNanos;
    private final ReentrantLock lock = new ReentrantLock();
    private final TicketTable tickets = new TicketTable(); // guarded by lock
    private final LeaseTable leases = new LeaseTable(this); // guarded by lock
    private final Map<String, Member> members = new LinkedHashMap<>(); // the living sessions; guarded by lock
    private long sessions; // guarded by lock
    private long recovered; // the moment at which all forgotten sessions must have ended; guarded by lock
    private final List<Link> links = new CopyOnWriteArrayList<>();
    private final List<String> violations = new CopyOnWriteArrayList<>();
    private final AtomicIntegerArray requests = new AtomicIntegerArray(Request.values().length);
    private final AtomicIntegerArray repliesToLose = new AtomicIntegerArray(Request.values().length);
    private volatile Supplier<Duration> delay = () -> Duration.ZERO;
    private volatile boolean frozen;
    private volatile boolean tellsApart;
    private volatile Runnable witness = () -> {}; // run before each request is carried out
    private volatile boolean answersForgotten;
    private final ThreadLocal<@Nullable Telling> telling = new ThreadLocal<>();

    /**
     * A departure of which the current thread is telling a session, with the tickets left in the queue if they are
     * told.
     */
    private record Telling(
            Member member, String name, @Nullable List<Ticket> left) {}

    /** Makes a server that uses the machine's clock and has a thread of its own. */
    public InMemoryServer() {
        ServerTime own = new ServerTime();
        time = own;
        stopTime = own::close;
        startedNanos = time.nanoTime();
        recovered = startedNanos;
    }

    /**
     * Makes a server that uses simulated time and has no thread.
     *
     * @param time the clock, which its clients use too
     */
    public InMemoryServer(SimulatedTime time) {
        this.time = time;
        this.stopTime = () -> {};
        this.startedNanos = time.nanoTime();
        this.recovered = startedNanos;
    }

    /**
     * Stops the server: it answers no request, but refuses none and breaks no connection. No session expires meanwhile.
     */
    public void freeze() {
        frozen = true;
    }

    /** Ends {@link #freeze()}: messages that were sent meanwhile arrive now. */
    public void unfreeze() {
        frozen = false;
        links.forEach(Link::release);
        time.schedule(Duration.ZERO, this::expireLate);
    }

    /** Cuts all connections for a moment: sessions and tickets survive it. */
    public void restart() {
        List<Link> running = links.stream().filter(link -> !link.isCut()).toList();
        running.forEach(this::cut);
        running.forEach(this::mend);
    }

    /** Loses the reply of the next {@code take} on its way; the ticket has been drawn. */
    public void loseNextReplyOfTake() {
        repliesToLose.incrementAndGet(Request.TAKE.ordinal());
    }

    /** Loses the reply of the next {@code replace} on its way; the ticket has been replaced. */
    public void loseNextReplyOfReplace() {
        repliesToLose.incrementAndGet(Request.REPLACE.ordinal());
    }

    /**
     * Makes messages slow.
     *
     * @param oneWay how long each message travels that is sent from now on
     */
    public void delay(Duration oneWay) {
        delay = () -> oneWay;
    }

    /**
     * Gives each message a delay of its own. The messages of one connection keep their order all the same.
     *
     * @param oneWay returns how long the next message travels; called for each message, on any thread
     */
    public void delay(Supplier<Duration> oneWay) {
        delay = oneWay;
    }

    /** From now on, an answer that shows a queue also shows the ticket that departed last. */
    public void showDeparted() {
        locked(() -> {
            tickets.showDeparted();
            return true;
        });
    }

    /**
     * As {@link #showDeparted}, but only for a ticket whose session has ended. Databases show such tickets until they
     * are deleted.
     */
    public void showEnded() {
        locked(() -> {
            tickets.showEnded();
            return true;
        });
    }

    /** Ends {@link #showDeparted} and {@link #showEnded}. */
    public void hideDeparted() {
        locked(() -> {
            tickets.hideDeparted();
            return true;
        });
    }

    /**
     * From now on, the message about a departure also says which tickets are left in the queue.
     *
     * @param most how many tickets may be left at most; if more are left, the message does not say which
     */
    public void tellQueue(int most) {
        tickets.tellQueue(most);
    }

    /**
     * From now on, clients are told about changes of a queue over another connection, so that such a message may arrive
     * before or after answers that were sent earlier.
     */
    public void tellApart() {
        tellsApart = true;
    }

    boolean tellsApart() {
        return tellsApart;
    }

    /**
     * From now on the server breaks a law, for tests of tests. After it has lost its data it does not know a watcher's
     * session any more, but tells the watcher all the same that each watched ticket which the server does not have has
     * departed.
     */
    void answerForgotten() {
        answersForgotten = true;
    }

    boolean answersForgotten() {
        return answersForgotten;
    }

    /**
     * Removes a living ticket, as an operator might by hand.
     *
     * @param name the lock's name
     * @param index the ticket's place in the queue; 0 is the first
     */
    public void removeTicket(String name, int index) {
        locked(() -> tickets.remove(name, tickets.living(name).get(index), List.of()));
    }

    /** Tells all watchers that something may have changed, although nothing has. */
    public void wakeForNothing() {
        locked(() -> {
            tickets.tellChanged(members.values());
            return true;
        });
    }

    /**
     * Forgets all sessions, tickets and notices, as a server does that starts again without its data; tokens go on
     * growing, and leases are kept. The forgotten sessions are lost. The server answers {@code open} only when all
     * forgotten sessions would have ended by its clock.
     */
    public void loseData() {
        restore(new Saved(List.of()));
    }

    /** The state of the server now, for {@link #restore}. */
    Saved save() {
        return locked(() -> new Saved(tickets.slips()));
    }

    /** An older state. */
    record Saved(List<Slip> slips) {}

    /**
     * Goes back to an older state. The server forgets everything since then, and all sessions as in {@link #loseData}.
     * It shows the tickets of the older state until their sessions would have ended.
     */
    void restore(Saved older) {
        locked(() -> {
            List<Member> forgotten = List.copyOf(members.values());
            members.clear();
            if (answersForgotten) {
                tickets.tellDeparted();
            }
            tickets.forget();
            for (Member member : forgotten) {
                member.alarm.close();
                member.ended = true;
                recovered = recovered - member.deadline > 0 ? recovered : member.deadline;
                member.link.sessionLost();
                if (!answersForgotten) {
                    member.link.tell(member.listener::lost);
                }
            }
            Map<Member, Member> ghosts = new HashMap<>();
            for (Slip slip : older.slips()) {
                tickets.restore(slip, ghosts.computeIfAbsent(slip.owner(), this::ghost));
            }
            return true;
        });
    }

    /** A session without a client, which ends by the server's clock. */
    private Member ghost(Member known) {
        Member ghost = new Member(known.id, known.timeout, new Link(this), known.beginner, new Nobody());
        members.put(ghost.id, ghost);
        prolong(ghost);
        return ghost;
    }

    /** The listener of a session without a client. */
    private static final class Nobody implements SessionListener {

        @Override
        public void suspect(String problem) {}

        @Override
        public void live() {}

        @Override
        public void lost() {}
    }

    /** For how long no session may begin yet. */
    Duration untilRecovered() {
        return locked(() -> Duration.ofNanos(Math.max(0, recovered - time.nanoTime())));
    }

    /**
     * The living tickets of a lock, in their order.
     *
     * @param name the lock's name
     * @return empty if no client holds the lock or waits for it
     */
    public List<Ticket> tickets(String name) {
        return locked(() -> tickets.slips(name).stream().map(Slip::ticket).toList());
    }

    /**
     * How many living tickets, or leases, a lock has.
     *
     * @param name the lock's name
     * @return the number of tickets or leases that hold the lock or wait for it
     */
    public int queueLength(String name) {
        return locked(() -> tickets.living(name).size() + leases.count(name));
    }

    /**
     * How many requests of a kind all clients have sent. Requests that a broken connection did not send do not count.
     *
     * @param kind the kind of request
     * @return the number since the server was made
     */
    public int requests(Request kind) {
        return requests.get(kind.ordinal());
    }

    /** {@return how many requests all clients have sent, without heartbeats} */
    public int requests() {
        return Arrays.stream(Request.values())
                .filter(kind -> kind != Request.HEARTBEAT)
                .mapToInt(this::requests)
                .sum();
    }

    /** {@return the calls that broke the rules of the SPI, each described in a sentence} */
    public List<String> violations() {
        return List.copyOf(violations);
    }

    /**
     * {@return living sessions, tickets, watches and leases, notices that were not taken down, and the
     * {@linkplain #violations() violations}}
     */
    public List<String> leftovers() {
        List<String> found = new ArrayList<>(violations);
        locked(() -> {
            members.keySet().forEach(id -> found.add("session " + id));
            return found.addAll(tickets.leftovers()) | found.addAll(leases.leftovers());
        });
        return found;
    }

    /** The names of all locks that a client holds or waits for. */
    List<String> names() {
        return locked(() -> Stream.concat(tickets.names("").stream(), leases.names().stream())
                .sorted()
                .distinct()
                .toList());
    }

    /** Stops the server's thread. A request that has no reply yet never gets one. */
    @Override
    public void close() {
        stopTime.run();
    }

    @Override
    public String toString() {
        return address;
    }

    /** {@return the name of this server, unique in this JVM; the stores over it return the same as their address} */
    public String address() {
        return address;
    }

    Time time() {
        return time;
    }

    Duration delay() {
        return delay.get();
    }

    boolean isFrozen() {
        return frozen;
    }

    Instant now() {
        return started.plusNanos(time.nanoTime() - startedNanos);
    }

    TicketTable tickets() {
        return tickets;
    }

    LeaseTable leases() {
        return leases;
    }

    Link connect() {
        Link link = new Link(this);
        links.add(link);
        return link;
    }

    void disconnect(Link link) {
        links.remove(link);
    }

    <T extends @Nullable Object> T locked(Supplier<T> work) {
        lock.lock();
        try {
            return work.get();
        } finally {
            lock.unlock();
        }
    }

    /** From now on the server runs this just before it carries a request out. */
    void witness(Runnable eachRequest) {
        witness = eachRequest;
    }

    void callWitness() {
        witness.run();
    }

    void count(Request kind) {
        requests.incrementAndGet(kind.ordinal());
    }

    boolean losesReply(Request kind) {
        return repliesToLose.getAndUpdate(kind.ordinal(), count -> Math.max(0, count - 1)) > 0;
    }

    /** Adds a sentence to {@link #violations()} and returns the exception for the caller that broke the rule. */
    IllegalArgumentException violation(String what) {
        violations.add("violation of the SPI: " + what);
        return new IllegalArgumentException(what);
    }

    /**
     * Tells a session of a departure. If the session asks for the queue meanwhile, it gets the tickets that are left.
     */
    void telling(Member member, String name, @Nullable List<Ticket> left, Runnable word) {
        whileTelling(new Telling(member, name, left), word);
    }

    /** Does work that stands for the work of another thread, which is not being told of any departure. */
    void tellingNothing(Runnable work) {
        whileTelling(null, work);
    }

    private void whileTelling(@Nullable Telling what, Runnable work) {
        Telling before = telling.get();
        telling.set(what);
        try {
            work.run();
        } finally {
            telling.set(before);
        }
    }

    /**
     * The tickets left in the queue by the departure of which this thread is just being told; null if there is none.
     */
    @Nullable
    List<Ticket> toldOf(Member member, String name) {
        Telling now = telling.get();
        return now != null && now.member() == member && now.name().equals(name) ? now.left() : null;
    }

    void callBack(Runnable word) {
        try {
            word.run();
        } catch (Throwable thrown) {
            violations.add("violation of the SPI: a callback threw " + thrown);
        }
    }

    /** To be called under the lock. */
    Member begin(Link link, SessionOptions options, SessionListener listener) {
        Member member = new Member(address + "-s" + ++sessions, options.timeout(), link, link, listener);
        members.put(member.id, member);
        prolong(member);
        return member;
    }

    /** Under the lock. */
    void prolong(Member member) {
        member.checkLiving();
        member.alarm.close();
        member.deadline = time.nanoTime() + member.timeout.toNanos();
        member.alarm = time.schedule(member.timeout, this::expireLate);
    }

    private void expireLate() {
        locked(() -> {
            for (Member member : List.copyOf(members.values())) {
                if (!frozen && member.deadline - time.nanoTime() <= 0) {
                    expire(member);
                }
            }
            leases.expireLate();
            return true;
        });
    }

    /** Under the lock. */
    void expire(Member member) {
        if (end(member)) {
            member.link.sessionLost();
            member.link.tell(member.listener::lost);
        }
    }

    /** Under the lock. */
    boolean end(Member member) {
        member.alarm.close();
        tickets.end(member);
        return members.remove(member.id, member); // leaves a restored session of the same id
    }

    void expireSessions(Link link) {
        locked(() -> {
            membersOf(link).forEach(this::expire);
            return true;
        });
    }

    void expireLeases(Link link) {
        locked(() -> {
            leases.expire(link);
            return true;
        });
    }

    void cut(Link link) {
        link.cut();
        locked(() -> {
            membersOf(link)
                    .forEach(member ->
                            link.tellLocally(() -> member.listener.suspect("connection to " + address + " is broken")));
            return true;
        });
    }

    /**
     * Tells the listener that its session lives. A listener whose session was lost meanwhile gets that message now.
     * Watchers may have missed messages, so they are told to look again.
     */
    void mend(Link link) {
        locked(() -> {
            List<Member> living = membersOf(link);
            living.forEach(member -> link.tell(member.listener::live));
            tickets.tellChanged(living);
            return true;
        });
        link.mend();
    }

    private List<Member> membersOf(Link link) {
        return members.values().stream().filter(member -> member.link == link).toList();
    }
}
