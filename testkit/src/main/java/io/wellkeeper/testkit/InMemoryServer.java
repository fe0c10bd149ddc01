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
 * A store of locks in this JVM. Clients connect to it with an {@link InMemoryTicketStore} or {@link InMemoryLeaseStore}
 * each, as processes would connect to a server: every request travels there, every reply travels back, in order, and
 * both can be held up or lost. All callbacks come on one daemon thread of the server's, or, under {@link SimulatedTime},
 * on the thread that moves time; never on the caller's. Tests under JUnit need only {@link InMemoryLocks}; without JUnit:
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
 * not told of what its own session removes; a notice is forgotten with the last ticket. Whoever breaks the rules of the SPI
 * is answered with an exception, and is found among the {@link #violations()}. Thread-safe.
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
    private final Map<String, Member> members = new LinkedHashMap<>(); // living; guarded by lock
    private long sessions; // guarded by lock
    private long recovered; // when each session that was forgotten must have ended; guarded by lock
    private final List<Link> links = new CopyOnWriteArrayList<>();
    private final List<String> violations = new CopyOnWriteArrayList<>();
    private final AtomicIntegerArray requests = new AtomicIntegerArray(Request.values().length);
    private final AtomicIntegerArray repliesToLose = new AtomicIntegerArray(Request.values().length);
    private volatile Supplier<Duration> delay = () -> Duration.ZERO;
    private volatile boolean frozen;
    private volatile boolean tellsApart;
    private volatile boolean answersForgotten;
    private final ThreadLocal<@Nullable Telling> telling = new ThreadLocal<>();

    /** That somebody is just being told of a departure from a queue, and of what it left behind. */
    private record Telling(
            Member member, String name, @Nullable List<Ticket> left) {}

    /** A server by the machine's clock, with a thread of its own. */
    public InMemoryServer() {
        ServerTime own = new ServerTime();
        time = own;
        stopTime = own::close;
        startedNanos = time.nanoTime();
        recovered = startedNanos;
    }

    /**
     * A server by simulated time, without a thread.
     *
     * @param time the clock that its clients have too
     */
    public InMemoryServer(SimulatedTime time) {
        this.time = time;
        this.stopTime = () -> {};
        this.startedNanos = time.nanoTime();
        this.recovered = startedNanos;
    }

    /** Nobody answers any more, though nothing is refused and no connection breaks; no session expires meanwhile. */
    public void freeze() {
        frozen = true;
    }

    /** Ends {@link #freeze()}: what had been sent arrives now. */
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
     * @param oneWay how long each message that is sent from now on is under way
     */
    public void delay(Duration oneWay) {
        delay = () -> oneWay;
    }

    /**
     * Makes each message slow in its own way; those of one connection keep their order all the same.
     *
     * @param oneWay asked for each message, on any thread
     */
    public void delay(Supplier<Duration> oneWay) {
        delay = oneWay;
    }

    /** From now on, whoever looks at a queue is also shown the ticket that departed last. */
    public void showDeparted() {
        locked(() -> {
            tickets.showDeparted();
            return true;
        });
    }

    /** As {@link #showDeparted}, if its session has ended: as databases do until the tickets of ended sessions are deleted. */
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
     * From now on, a departure is told together with the queue that it left behind.
     *
     * @param most of how many tickets, at most
     */
    public void tellQueue(int most) {
        tickets.tellQueue(most);
    }

    /** From now on, what happens in a queue is told by another connection: before or after answers that were sent earlier. */
    public void tellApart() {
        tellsApart = true;
    }

    boolean tellsApart() {
        return tellsApart;
    }

    /**
     * From now on the server breaks a law, for tests of tests: whoever watches is told that all has departed which is not
     * there, though the server has lost its data and does not know his session any more.
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
     * @param index its place in the queue; 0 is the first
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
     * growing, and leases are kept. Forgotten sessions are lost. No session begins before each of them would have ended by
     * this server's clock: {@code open} is answered then.
     */
    public void loseData() {
        restore(new Saved(List.of()));
    }

    /** What the server has now, to go back to. */
    Saved save() {
        return locked(() -> new Saved(tickets.slips()));
    }

    /** An older state. */
    record Saved(List<Slip> slips) {}

    /**
     * Goes back to an older state: what has happened since is forgotten, and so are all sessions ({@link #loseData}). The
     * tickets that there were are shown until the sessions whose they were would have ended.
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

    /** A session that nobody has, and that ends by itself. */
    private Member ghost(Member known) {
        Member ghost = new Member(known.id, known.timeout, new Link(this), known.beginner, new Nobody());
        members.put(ghost.id, ghost);
        prolong(ghost);
        return ghost;
    }

    /** Who would hear of a session that nobody has. */
    private static final class Nobody implements SessionListener {

        @Override
        public void suspect(String problem) {}

        @Override
        public void live() {}

        @Override
        public void lost() {}
    }

    /** How long it will be before a session may begin. */
    Duration untilRecovered() {
        return locked(() -> Duration.ofNanos(Math.max(0, recovered - time.nanoTime())));
    }

    /**
     * The living tickets of a lock, in their order.
     *
     * @param name the lock's
     * @return empty if nobody has it or waits for it
     */
    public List<Ticket> tickets(String name) {
        return locked(() -> tickets.slips(name).stream().map(Slip::ticket).toList());
    }

    /**
     * How many living tickets, or leases, a lock has.
     *
     * @param name the lock's
     * @return those that hold it and those that wait for it
     */
    public int queueLength(String name) {
        return locked(() -> tickets.living(name).size() + leases.count(name));
    }

    /**
     * How often something was asked, by all clients; requests that never left a broken connection do not count.
     *
     * @param kind what
     * @return since the server was made
     */
    public int requests(Request kind) {
        return requests.get(kind.ordinal());
    }

    /** {@return how often anything was asked, by all clients, heartbeats excepted} */
    public int requests() {
        return Arrays.stream(Request.values())
                .filter(kind -> kind != Request.HEARTBEAT)
                .mapToInt(this::requests)
                .sum();
    }

    /** {@return what callers did that the SPI forbids, each in a sentence} */
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

    /** The names of all locks that somebody has or waits for. */
    List<String> names() {
        return locked(() -> Stream.concat(tickets.names("").stream(), leases.names().stream())
                .sorted()
                .distinct()
                .toList());
    }

    /** Stops the server's thread. Whoever waits for a reply waits for ever. */
    @Override
    public void close() {
        stopTime.run();
    }

    @Override
    public String toString() {
        return address;
    }

    /** {@return what names it among the servers of this JVM, as the stores over it do} */
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

    void count(Request kind) {
        requests.incrementAndGet(kind.ordinal());
    }

    boolean losesReply(Request kind) {
        return repliesToLose.getAndUpdate(kind.ordinal(), count -> Math.max(0, count - 1)) > 0;
    }

    /** Remembers what a caller did wrong, for whoever looks after the test, and gives what to throw at it. */
    IllegalArgumentException violation(String what) {
        violations.add("violation of the SPI: " + what);
        return new IllegalArgumentException(what);
    }

    /** Tells somebody of a departure from a queue; who asks for the queue meanwhile sees what it left behind. */
    void telling(Member member, String name, @Nullable List<Ticket> left, Runnable word) {
        whileTelling(new Telling(member, name, left), word);
    }

    /** Does what another thread would do, to which nothing is being told. */
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

    /** The queue as the departure has left it of which this thread is just being told; null if there is none. */
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

    /** Under the lock. */
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
        return members.remove(member.id, member); // not one that was restored under its name
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

    /** The listener learns that its session lives, or is lost; and as words may have been missed, watchers look again. */
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
