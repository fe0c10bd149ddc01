package io.wellkeeper.redis;

import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.SessionLostException;
import io.wellkeeper.spi.StoreRecoveringException;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketRequest;
import io.wellkeeper.spi.Time;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A session in one partition. At the server it is one entry in a sorted set, which one script renews. */
final class RedisSession implements Session {

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int ID_LENGTH = 13; // of every id, so that none is a part of another
    private static final int CHECKED_AT_ONCE = 200;
    private static final int REPEATED_AT_ONCE = 200;
    private static final long IDLE_MILLIS = Duration.ofDays(1).toMillis();
    private static final Duration AGAIN = Duration.ofSeconds(1); // until a refused request is repeated

    private final String id = newId();
    private final Link link;
    private final Keys keys;
    private final Keys.Partition partition;
    private final Elsewhere elsewhere;
    private final Duration timeout;
    private final RestartGuard guard;
    private final Optional<Replicas> replicas;
    private final String idle; // for how many milliseconds keys are kept that nobody uses
    private final Departures departures = new Departures(this);
    private final NoticeWatches notices = new NoticeWatches(this);
    private final OwnTickets own = new OwnTickets();
    // The ids of the tickets that are being replaced by a milder one.
    private final Set<String> replacing = ConcurrentHashMap.newKeySet();
    // The ids of the tickets whose replacement failed: the server may have the old ticket or the milder one.
    private final Set<String> unsettled = ConcurrentHashMap.newKeySet();
    // By lock, the ids of the requests for tickets that have no answer yet.
    private final Map<String, Set<String>> coming = new ConcurrentHashMap<>();
    private final Map<String, Runnable> arrivals = new ConcurrentHashMap<>(); // by request, run when others arrive
    private final Repeats heeding = new Repeats(AGAIN, notices::again);
    private final Repeats unheeding = new Repeats(AGAIN, notices::endAgain);
    private final Repeats removingUnknown = new Repeats(AGAIN, this::removeUnknown);
    private final Removals removals; // of tickets of this session
    private long sequence; // of the last take or watch; counted as requests are sent, under the link's lock
    private final AtomicLong descriptions = new AtomicLong(); // numbers the writings on tickets
    private volatile long deadline; // the last one acknowledged, by the server's clock
    private volatile long renewedAt; // when the request for that deadline was sent, by System.nanoTime
    private final AtomicReference<@Nullable CompletableFuture<Void>> leaving = new AtomicReference<>();
    private volatile long touched = System.nanoTime();

    /** The parts of the store outside the session's own partition. */
    interface Elsewhere {

        /** Finds the names of locks in another partition. */
        CompletableFuture<List<Object>> names(Keys.Partition partition, List<String> keys, List<String> arguments);

        /** Has the data that belongs to no partition kept for longer. */
        void touch();

        /** The warnings about how the masters of all partitions are set up. */
        CompletionStage<List<String>> warnings();
    }

    RedisSession(
            Link link,
            Keys keys,
            Keys.Partition partition,
            RestartGuard guard,
            Elsewhere elsewhere,
            Optional<Replicas> replicas,
            Duration timeout) {
        this.link = link;
        this.keys = keys;
        this.partition = partition;
        this.elsewhere = elsewhere;
        this.timeout = timeout;
        this.guard = guard;
        this.replicas = replicas;
        this.removals = new Removals(timeout);
        this.idle = Long.toString(idleMillis(timeout));
    }

    /** For how long keys are kept that nobody uses. */
    static long idleMillis(Duration timeout) {
        return Math.max(IDLE_MILLIS, timeout.toMillis() * 4);
    }

    private static String newId() {
        String digits = Long.toUnsignedString(RANDOM.nextLong(), 36);
        return "0".repeat(ID_LENGTH - digits.length()) + digits;
    }

    /** Begins the session at the server. */
    CompletionStage<RedisSession> open() {
        CompletionStage<RedisSession> opened = link.listen(
                        partition.channels() + id, this::heed, this::reconnected, this::refused)
                .thenCompose(listening -> {
                    renewedAt = System.nanoTime();
                    return link.run(Script.OPEN, sessionKeys(), openingArguments());
                })
                .thenApply(answer -> {
                    String begun = (String) answer.get(0);
                    long second = (Long) answer.get(1);
                    if (begun.isEmpty()) {
                        throw recovering(Duration.ofMillis(second));
                    }
                    if (second == 1) {
                        guard.isUnsure(link.address());
                    }
                    deadline = Long.parseLong(begun);
                    guard.renewed(deadline - timeout.toMillis());
                    follow();
                    return this;
                });
        breakIfSilent(opened.toCompletableFuture());
        return opened;
    }

    /** Asks regularly whether another server is in charge, for as long as the session lives. */
    private void follow() {
        if (!link.ended()) {
            link.follow();
            Duration beat = heartbeatInterval();
            later(beat.compareTo(Topology.ROUND) < 0 ? beat : Topology.ROUND, this::follow);
        }
    }

    /**
     * Breaks the connection if the session does not begin: there are no heartbeats yet that would notice a dead one.
     */
    private void breakIfSilent(CompletableFuture<RedisSession> opened) {
        later(RedisServer.CONNECT_TIMEOUT, () -> {
            if (!opened.isDone()) {
                link.breakConnection();
                breakIfSilent(opened);
            }
        });
    }

    private List<String> openingArguments() {
        List<String> arguments = new ArrayList<>(sessionArguments());
        if (guard.isOn()) {
            arguments.add(Long.toString(guard.left().toMillis()));
            arguments.add(Long.toString(guard.renewedAt()));
        }
        return arguments;
    }

    private StoreRecoveringException recovering(Duration wait) {
        return new StoreRecoveringException(
                "Redis at " + link.address()
                        + " has lost sessions, or may have: it was started lately, and has none. The"
                        + " next one begins in " + wait.toMillis() + " ms, when nobody relies upon them any more"
                        + " (restartGuard=off: at once)",
                wait);
    }

    private List<String> sessionKeys() {
        return List.of(partition.sessions(), partition.names(), partition.sequences());
    }

    private List<String> sessionArguments() {
        return List.of(id, partition.channels(), Long.toString(timeout.toMillis()), idle);
    }

    @Override
    public String id() {
        return id;
    }

    /**
     * A fifth of the timeout is left for clocks that run at different speeds, and for small steps of the server's
     * clock.
     */
    @Override
    public Duration validity() {
        return timeout.multipliedBy(4).dividedBy(5);
    }

    @Override
    public Duration heartbeatInterval() {
        return timeout.dividedBy(4);
    }

    @Override
    public CompletionStage<Void> heartbeat() {
        touchIfDue();
        long sentAt = System.nanoTime();
        CompletableFuture<List<Object>> answered = link.run(Script.RENEW, sessionKeys(), sessionArguments());
        breakIfSilent(answered, heartbeatInterval());
        return answered.thenAccept(answer -> {
            checkLiving(answer);
            renewedAt = sentAt;
            long last = deadline;
            long next = Long.parseLong((String) answer.get(1));
            deadline = next;
            guard.renewed(next - timeout.toMillis());
            if (Long.parseLong((String) answer.get(0)) < last) {
                verify();
            }
        });
    }

    /** Gives the connection up if a request is unanswered and no answer at all has come for a heartbeat's interval. */
    private void breakIfSilent(CompletableFuture<?> answered, Duration after) {
        later(after, () -> {
            Duration left = heartbeatInterval().minus(link.silence());
            if (answered.isDone()) {
                return;
            }
            if (left.isNegative() || left.isZero()) {
                link.breakConnection();
            } else {
                breakIfSilent(answered, left);
            }
        });
    }

    /** The server has forgotten a heartbeat, so it may have forgotten tickets too: if it has, the session is over. */
    private void verify() {
        check(own.names())
                .thenAccept(all -> all.forEach((ticket, left) -> {
                    if (left == 0 && own.contains(ticket) && !replacing.contains(ticket)) {
                        lost();
                    }
                }));
        repeatRemovals(removals.all());
    }

    @Override
    public TicketQueue queue(String name) {
        return new RedisQueue(this, name);
    }

    @Override
    public CompletionStage<List<String>> names(String prefix) {
        List<CompletableFuture<List<Object>>> parts = new ArrayList<>();
        for (Keys.Partition part : keys.partitions()) {
            List<String> three = List.of(part.sessions(), part.names(), part.sequences());
            List<String> arguments = List.of(id, part.channels());
            parts.add(
                    part == partition
                            ? link.run(Script.NAMES, three, arguments)
                            : elsewhere.names(part, three, arguments));
        }
        return Stages.map(
                Stages.all(parts),
                answers -> answers.stream()
                        .flatMap(List::stream)
                        .map(String.class::cast)
                        .filter(name -> name.startsWith(prefix))
                        .toList());
    }

    @Override
    public CompletionStage<List<String>> warnings() {
        return elsewhere.warnings();
    }

    /**
     * Has a script carried out on a queue.
     *
     * @param arguments those that follow the arguments common to all scripts on queues
     */
    CompletableFuture<List<Object>> run(Script script, String name, List<String> arguments) {
        return link.ended() ? link.refused() : send(script, name, arguments);
    }

    /** See {@link Link#wires}. */
    int wires() {
        return link.wires();
    }

    private CompletableFuture<List<Object>> send(Script script, String name, List<String> arguments) {
        return send(script, name, () -> arguments);
    }

    /** @param arguments see {@link Link#send(Script, List, Supplier)} */
    private CompletableFuture<List<Object>> send(Script script, String name, Supplier<List<String>> arguments) {
        return link.send(script, queueKeys(name), () -> {
            List<String> all = new ArrayList<>(List.of(id, partition.channels(), name));
            all.addAll(arguments.get());
            return all;
        });
    }

    private List<String> queueKeys(String name) {
        return List.of(
                partition.sessions(),
                partition.queue(name),
                partition.data(name),
                partition.names(),
                partition.sequences());
    }

    /**
     * Takes a ticket. The request is numbered within the session, so that the server recognises a repetition.
     *
     * @param sent run each time that the request is sent or joins a removal that is to be sent; the first time before
     *     this method returns, unless the request has to wait for its turn
     */
    CompletionStage<Place> take(String name, TicketRequest request, Runnable sent) {
        coming.compute(name, (unused, requests) -> {
            Set<String> all = requests == null ? ConcurrentHashMap.newKeySet() : requests;
            all.add(request.id());
            return all;
        });
        CompletableFuture<List<Object>> answered = link.ended()
                ? link.refused()
                : send(Script.TAKE, name, () -> {
                    sent.run();
                    return List.of(
                            request.id(),
                            Long.toString(++sequence),
                            TicketIds.shape(request.mode(), request.permits()),
                            request.metadata(),
                            idle);
                });
        CompletableFuture<Place> place = Stages.map(answered, answer -> {
            checkLiving(answer);
            return place(name, answer);
        });
        CompletableFuture<Place> confirmed =
                replicas.map(those -> confirm(name, place, those)).orElse(place);
        confirmed.whenComplete((taken, failure) -> {
            coming.computeIfPresent(name, (unused, requests) -> {
                requests.remove(request.id());
                return requests.isEmpty() ? null : requests;
            });
            if (answered.isCompletedExceptionally() && !link.ended()) {
                removeUnknown(name);
            }
        });
        return confirmed;
    }

    /** Gives the ticket back if too few replicas know of it. */
    private CompletableFuture<Place> confirm(String name, CompletableFuture<Place> place, Replicas those) {
        CompletableFuture<Place> result = new CompletableFuture<>();
        place.whenComplete((taken, failure) -> {
            if (failure != null) {
                result.completeExceptionally(failure);
                return;
            }
            those.confirm(partition.queue(name), taken.ticket().id()).whenComplete((done, unconfirmed) -> {
                if (unconfirmed == null) {
                    result.complete(taken);
                } else {
                    insistOnRemoval(name, taken.ticket());
                    result.completeExceptionally(unconfirmed);
                }
            });
        });
        return result;
    }

    private Place place(String name, List<Object> answer) {
        String id = (String) answer.get(0);
        if (id.isEmpty()) {
            throw new LockStoreException(
                    "somebody has removed the ticket of lock '" + name + "' before it was known here");
        }
        Ticket ticket = TicketIds.parse(id);
        own.add(name, ticket);
        List<Ticket> watched = new ArrayList<>();
        List<Long> millisLeft = new ArrayList<>();
        List<?> pairs = (List<?>) answer.get(1);
        for (int i = 0; i < pairs.size(); i += 2) {
            long left = (Long) pairs.get(i + 1);
            TicketIds.read((String) pairs.get(i)).ifPresent(nearest -> {
                watched.add(nearest);
                millisLeft.add(left);
            });
        }
        departures.armed(name, watched, millisLeft);
        return new Place(ticket, ticket.number(), tickets((String) answer.get(2)));
    }

    /** An empty answer says that the session has ended. */
    void checkLiving(List<Object> answer) {
        if (!isLiving(answer)) {
            throw new SessionLostException("the session " + id + " has ended");
        }
    }

    /** As {@link #checkLiving}, but throws nothing: for callers who are told of the end of the session anyway. */
    boolean isLiving(List<Object> answer) {
        if (answer.isEmpty()) {
            lost();
        }
        return !answer.isEmpty();
    }

    /**
     * The server says that the session has ended. Whatever it still has of this session is removed, so that nobody
     * waits for it.
     */
    private void lost() {
        if (!link.ended() && System.nanoTime() - renewedAt < timeout.toNanos()) {
            guard.forgotten(timeout);
        }
        Set<String> heeded = notices.names(); // read before those who watch them are told of the loss
        link.lost(() -> leave(heeded));
    }

    /**
     * The servers have refused for so long that the session must have ended. None confirms that, and none can be told
     * anything.
     */
    private void refused() {
        link.lost(() -> {
            departures.close();
            replicas.ifPresent(Replicas::close);
            CompletableFuture<Void> left = new CompletableFuture<>();
            leaving.compareAndSet(null, left);
            link.disconnect().whenComplete((gone, never) -> left.complete(null));
        });
    }

    /** Gives all tickets back, and ends the session at the server. */
    private List<CompletableFuture<List<Object>>> farewell(Set<String> heeded) {
        List<CompletableFuture<List<Object>>> steps = new ArrayList<>();
        heeded.forEach(name -> steps.add(send(Script.UNHEED, name, () -> List.of(lastSequence()))));
        names().forEach(name -> steps.add(send(Script.LEAVE, name, () -> List.of("+inf", lastSequence()))));
        steps.add(link.send(Script.END, sessionKeys(), List.of(id, partition.channels())));
        return steps;
    }

    /** Removes a ticket. Refused after the end of the session, with which its tickets end anyway. */
    CompletableFuture<List<Object>> remove(String name, Ticket ticket) {
        if (link.ended()) {
            return link.refused();
        }
        gives(name, ticket);
        CompletableFuture<List<Object>> removed =
                send(Script.REMOVE, name, List.of(ticket.id(), Long.toString(ticket.number())));
        if (unsettled.remove(ticket.id())) {
            repeatRemovals(List.of(Map.entry(name, ticket.number())));
        }
        return removed;
    }

    private void insistOnRemoval(String name, Ticket ticket) {
        remove(name, ticket).whenComplete((removed, failure) -> {
            if (failure != null && !link.ended()) {
                later(AGAIN, () -> insistOnRemoval(name, ticket));
            }
        });
    }

    /**
     * Removes the tickets of a lock that this session does not know of. A failed take may leave one: a server that
     * refuses one step of a script has carried out the steps before it.
     */
    private void removeUnknown(String name) {
        if (removingUnknown.isPlanned(name)) {
            return;
        }
        leave(name, "+inf").whenComplete((done, failure) -> {
            if (failure != null && !link.ended()) {
                removingUnknown.plan(name);
            }
        });
    }

    /**
     * A ticket was found gone, and no message had told of its departure. The server may still have data that belongs to
     * it. If the ticket was a milder one that the server has forgotten, the server may also have the ticket that it had
     * replaced.
     */
    void bury(String name, Ticket ticket) {
        if (ticket.session().equals(id)) {
            remove(name, ticket);
            repeatRemovals(List.of(Map.entry(name, ticket.number())));
        } else {
            run(Script.TICKETS, name, List.of()); // this script removes the tickets of ended sessions
        }
    }

    /**
     * Writes on a ticket. The writings are numbered, so that an earlier one that is carried out later changes nothing.
     */
    CompletableFuture<List<Object>> describe(String name, Ticket mine, String metadata) {
        return run(Script.DESCRIBE, name, List.of(mine.id(), metadata, Long.toString(descriptions.incrementAndGet())));
    }

    /** The locks in whose queues there may be a ticket of this session. */
    private Set<String> names() {
        Set<String> names = new HashSet<>(own.names().values());
        names.addAll(coming.keySet());
        return names;
    }

    CompletionStage<Boolean> alone(String name, Ticket mine, Runnable arrived) {
        String request = TicketIds.request(mine);
        arrivals.put(request, arrived);
        List<String> arguments = List.of(mine.id(), Long.toString(mine.number()), id + ':' + request);
        return Stages.map(run(Script.ALONE, name, arguments), answer -> {
            checkLiving(answer);
            boolean alone = RedisQueue.isOne(answer);
            if (!alone) {
                arrivals.remove(request);
            }
            return alone;
        });
    }

    /** This session is about to remove a ticket. */
    private void gives(String name, Ticket ticket) {
        if (disown(ticket.id())) {
            departures.forgetOwn(ticket);
        }
    }

    /** A ticket has departed, or is about to be removed. Returns whether it was a living ticket of this session. */
    private boolean disown(String ticket) {
        OwnTickets.Own gone = replacing.contains(ticket) ? null : own.remove(ticket);
        if (gone != null) {
            removals.add(gone.name(), gone.ticket());
            arrivals.remove(TicketIds.request(gone.ticket()));
        }
        return gone != null;
    }

    /**
     * Removes tickets once more, as the server may have gone back to a state in which they were still there. The
     * requests go out in portions, and a portion that the server refuses is repeated.
     */
    private void repeatRemovals(List<Map.Entry<String, Long>> removed) {
        if (removed.isEmpty()) {
            return;
        }
        int now = Math.min(REPEATED_AT_ONCE, removed.size());
        List<CompletableFuture<List<Object>>> answers = new ArrayList<>();
        for (Map.Entry<String, Long> one : removed.subList(0, now)) {
            answers.add(leave(one.getKey(), Long.toString(one.getValue())));
        }
        Stages.all(answers).whenComplete((done, failure) -> {
            if (failure == null) {
                repeatRemovals(removed.subList(now, removed.size()));
            } else if (!link.ended()) {
                later(AGAIN, () -> repeatRemovals(removed));
            }
        });
    }

    /**
     * Gives all tickets of a lock back up to a number, except for those that live when this is sent, and for those that
     * are drawn by requests sent before: a server that has gone back may give these a smaller number than the departed
     * had, by an older clock.
     */
    private CompletableFuture<List<Object>> leave(String name, String number) {
        return link.ended()
                ? link.refused()
                : send(Script.LEAVE, name, () -> {
                    List<String> arguments = new ArrayList<>(List.of(number, lastSequence()));
                    // First: what has come by now is in own below.
                    arguments.addAll(coming.getOrDefault(name, Set.of()));
                    own.numbers(name).forEach(living -> arguments.add(Long.toString(living)));
                    return arguments;
                });
    }

    /**
     * Puts a milder ticket in the place of one of this session's. The old one counts as living until the outcome is
     * known. A server that refuses one step of a script has carried out the steps before it: then either of the two
     * tickets may stand there.
     */
    CompletionStage<Ticket> replace(String name, Ticket old, Ticket milder) {
        List<String> arguments = List.of(old.id(), milder.id(), Long.toString(old.number()));
        replacing.add(old.id());
        CompletableFuture<Ticket> replaced = Stages.map(run(Script.REPLACE, name, arguments), answer -> {
            checkLiving(answer);
            replacing.remove(old.id());
            if (!RedisQueue.isOne(answer)) {
                disown(old.id());
                throw new LockStoreException("the ticket to be replaced is gone: " + old);
            }
            own.add(name, milder);
            own.remove(old.id());
            departures.forgetOwn(old);
            return milder;
        });
        CompletableFuture<Ticket> result = new CompletableFuture<>();
        replaced.whenComplete((done, failure) -> {
            replacing.remove(old.id());
            if (failure == null) {
                unsettled.remove(old.id());
                result.complete(done);
            } else {
                if (own.contains(old.id())) {
                    unsettled.add(old.id());
                }
                result.completeExceptionally(failure);
            }
        });
        return result;
    }

    /**
     * Reads the tickets that the server shows of a queue; words that are no tickets are skipped.
     *
     * @param ids of tickets, with a space between them
     */
    List<Ticket> tickets(String ids) {
        List<Ticket> tickets = new ArrayList<>();
        for (int from = 0, to; from < ids.length(); from = to + 1) {
            int space = ids.indexOf(' ', from);
            to = space < 0 ? ids.length() : space;
            String one = ids.substring(from, to);
            Ticket known = own.ticket(one);
            if (known == null) {
                TicketIds.read(one).ifPresent(tickets::add);
            } else {
                tickets.add(known);
            }
        }
        return tickets;
    }

    /** Whether it is a living ticket of this session, as far as that is known. */
    boolean owns(Ticket ticket) {
        return own.contains(ticket.id());
    }

    /** Has the server send the new notices of a name. A refused request is repeated for as long as somebody watches. */
    void heedNotice(String name) {
        if (link.ended()) {
            return;
        }
        send(Script.HEED, name, () -> List.of(idle, Long.toString(++sequence))).whenComplete((done, failure) -> {
            if (failure != null && !link.ended()) {
                heeding.plan(name);
            }
        });
    }

    /**
     * Has the server send no more notices of a name. A refused request is repeated, unless somebody watches by then.
     */
    void unheedNotice(String name) {
        if (link.ended()) {
            return;
        }
        send(Script.UNHEED, name, () -> List.of(lastSequence())).whenComplete((done, failure) -> {
            notices.again(name); // if the server carried this out behind the next watch
            if (failure != null) {
                unheeding.plan(name);
            }
        });
    }

    /** Has the server tell this session of the departures of tickets. */
    CompletableFuture<List<Object>> watch(String name, List<String> tickets) {
        return link.ended()
                ? link.refused()
                : send(Script.WATCH, name, () -> {
                    List<String> arguments = new ArrayList<>(List.of(Long.toString(++sequence)));
                    arguments.addAll(tickets);
                    return arguments;
                });
    }

    /** Has the server no longer tell this session of the departure of a ticket. */
    CompletableFuture<List<Object>> unwatch(String name, String ticket) {
        return link.ended() ? link.refused() : send(Script.UNWATCH, name, () -> List.of(ticket, lastSequence()));
    }

    /** Called under the link's lock. */
    private String lastSequence() {
        return Long.toString(sequence);
    }

    /** Whether the session has ended, and the server knows of that or will not be told any more. */
    boolean left() {
        CompletableFuture<Void> end = leaving.get();
        return end != null && end.isDone();
    }

    Keys.Partition partition() {
        return partition;
    }

    String idle() {
        return idle;
    }

    Departures departures() {
        return departures;
    }

    NoticeWatches notices() {
        return notices;
    }

    /**
     * Checks whether tickets are still there, and whether this session itself lives.
     *
     * @param tickets the id of each with the name of its lock; may be none
     * @return how long is left to the sessions of the tickets, in milliseconds; 0 for a ticket that is gone
     */
    CompletionStage<Map<String, Long>> check(Map<String, String> tickets) {
        List<Map.Entry<String, String>> all = List.copyOf(tickets.entrySet());
        List<CompletableFuture<Map<String, Long>>> answers = new ArrayList<>();
        int from = 0;
        do {
            int to = Math.min(all.size(), from + CHECKED_AT_ONCE);
            answers.add(check(all.subList(from, to)));
            from = to;
        } while (from < all.size());
        return Stages.map(Stages.all(answers), maps -> {
            Map<String, Long> left = new HashMap<>();
            maps.forEach(left::putAll);
            return left;
        });
    }

    private CompletableFuture<Map<String, Long>> check(List<Map.Entry<String, String>> tickets) {
        List<String> queues = new ArrayList<>(List.of(partition.sessions()));
        List<String> arguments = new ArrayList<>(List.of(id, partition.channels()));
        for (Map.Entry<String, String> ticket : tickets) {
            queues.add(partition.queue(ticket.getValue()));
            arguments.add(ticket.getKey());
        }
        queues.add(partition.sequences());
        return Stages.map(link.run(Script.CHECK, queues, arguments), answer -> {
            checkLiving(answer);
            Map<String, Long> left = new HashMap<>();
            for (int i = 0; i < tickets.size(); i++) {
                long millis = (Long) answer.get(i + 1);
                String ticket = tickets.get(i).getKey();
                if (millis < 0) { // others have arrived; the server may have evicted that it was to tell of them
                    arrived(TicketIds.request(TicketIds.parse(ticket)));
                }
                left.put(ticket, Math.abs(millis));
            }
            return left;
        });
    }

    /** @param connection the number of the connection by which the message came */
    private void heed(String message, int connection) {
        String rest = message.substring(1);
        switch (message.charAt(0)) {
            case 'd' -> {
                String[] words = rest.split(" ", 2);
                disown(words[0]);
                departures.departed(words[0], words.length == 1 ? "" : words[1], connection);
            }
            case 'a' -> arrived(rest);
            case 'n' -> notices.changed(rest, connection);
            case 'x' -> lost();
            default -> {}
        }
    }

    private void arrived(String request) {
        Runnable told = arrivals.remove(request);
        if (told != null) {
            told.run();
        }
    }

    /**
     * The connection has been replaced. The messages sent meanwhile were missed, and the server may be another one, or
     * may have lost data: so everything is looked at again.
     */
    private void reconnected() {
        List.copyOf(arrivals.keySet()).forEach(this::arrived);
        notices.allAgain();
        Map<String, String> mine = own.names();
        check(mine)
                .thenAccept(all -> mine.forEach((ticket, name) -> {
                    if (all.getOrDefault(ticket, 1L) == 0 && own.contains(ticket) && !replacing.contains(ticket)) {
                        departures.gone(name, ticket);
                    }
                }));
        departures.look();
        repeatRemovals(removals.all());
        replicas.ifPresent(Replicas::follow);
    }

    /** Has the server keep the data of the locks in use for longer. */
    private void touchIfDue() {
        long now = System.nanoTime();
        if (now - touched > TimeUnit.MILLISECONDS.toNanos(Long.parseLong(idle) / 4)) {
            touched = now;
            Set<String> names = new HashSet<>(own.names().values());
            names.addAll(notices.names());
            names.forEach(name -> run(Script.TOUCH, name, List.of(idle)));
            elsewhere.touch();
        }
    }

    @Override
    public CompletionStage<Void> close() {
        return leave(notices.names());
    }

    /**
     * Says farewell, once.
     *
     * @param heeded the names whose notices are watched
     */
    private CompletableFuture<Void> leave(Set<String> heeded) {
        CompletableFuture<Void> left = new CompletableFuture<>();
        if (!leaving.compareAndSet(null, left)) {
            return Objects.requireNonNull(leaving.get());
        }
        departures.close();
        replicas.ifPresent(Replicas::close);
        boolean lost = link.end(); // first: from now on it is no loss if the server says that the session has ended
        List<CompletableFuture<List<Object>>> steps = farewell(heeded);
        Time.limit(Stages.all(steps), timeout)
                .whenComplete((done, failure) -> link.disconnect().whenComplete((gone, never) -> {
                    if (failure == null || lost) {
                        left.complete(null);
                    } else {
                        left.completeExceptionally(
                                new LockStoreException("the end of the session was not acknowledged", failure));
                    }
                }));
        return left;
    }

    static void later(Duration delay, Runnable task) {
        Time.later(delay, task);
    }
}
