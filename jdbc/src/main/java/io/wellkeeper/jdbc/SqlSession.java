package io.wellkeeper.jdbc;

import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.SessionListener;
import io.wellkeeper.spi.SessionLostException;
import io.wellkeeper.spi.SessionOptions;
import io.wellkeeper.spi.StoreRecoveringException;
import io.wellkeeper.spi.StoreRefusalException;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketRequest;
import io.wellkeeper.spi.Time;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A session is one row of a table, and one statement makes it last longer. The session has one connection for requests,
 * and one for messages.
 */
final class SqlSession implements Session, Messages.Receiver {

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int ID_LENGTH = 13;
    private static final Duration BUSY = Duration.ofMillis(20); // between attempts at a row that another client has
    private static final Notice NO_NOTICE = new Notice("", 0);
    private static final String POLLER = "p"; // replaces the first digit of a session's id if it only polls

    private String id = newId(); // does not change once the session is open
    private final Database database;
    private final Duration timeout;
    private final Health health;
    private final Requests requests;
    private volatile int connections; // after the first; written by the requests' thread
    private final Messages messages;
    private final Departures departures = new Departures(this);
    private final NoticeWatches notices = new NoticeWatches(this);
    private final Polling polling;
    private final Map<String, String> own = new ConcurrentHashMap<>(); // by ticket of this session, its lock
    private final Set<String> contended = ConcurrentHashMap.newKeySet(); // own tickets that had to wait for others
    private final Map<String, Integer> coming = new ConcurrentHashMap<>(); // by lock, how many takes are under way
    private final Set<String> taking = ConcurrentHashMap.newKeySet(); // request ids of the takes under way
    private final Map<String, Runnable> arrivals = new ConcurrentHashMap<>(); // by request; run when a newcomer comes
    private final AtomicBoolean sweeping = new AtomicBoolean(); // away what ended sessions left behind
    private final AtomicBoolean toCompare = new AtomicBoolean(); // a comparison of the own tickets is planned
    private final AtomicReference<@Nullable CompletableFuture<Void>> leaving = new AtomicReference<>();

    SqlSession(Database database, SessionListener listener, Duration timeout) {
        this.database = database;
        this.timeout = timeout;
        this.health = new Health(listener, database.address());
        this.requests =
                new Requests(database, health, id, heartbeatInterval(), timeout, this::connectedAgain, this::lost);
        this.messages = new Messages(database, health, id, this);
        this.polling = new Polling(new Ear(), database.address());
    }

    /** What the polling needs of this session. */
    private final class Ear implements Polling.Listener {

        @Override
        public boolean ended() {
            return health.ended();
        }

        @Override
        public CompletableFuture<?> askForMessage() {
            return run(Step.HEAR, Map.of("ticket", "probe"));
        }

        @Override
        public void reconnected() {
            SqlSession.this.reconnected();
        }

        @Override
        public void listenAgain() {
            messages.listenAgain();
        }

        /** Looks for everything except for what heartbeats find out. */
        @Override
        public CompletableFuture<?> lookForNews() {
            departures.look();
            Set<String> watched = notices.names();
            return watched.isEmpty()
                    ? CompletableFuture.completedFuture(null)
                    : Stages.then(readNews(watched), found -> found.forEach(notices::found));
        }

        @Override
        public void later(Duration delay, Runnable task) {
            SqlSession.later(delay, task);
        }
    }

    private static String newId() {
        String digits = Long.toUnsignedString(RANDOM.nextLong(), 36);
        return "0".repeat(ID_LENGTH - digits.length()) + digits;
    }

    /** Connects, on this thread, and begins the session in the database. */
    CompletionStage<Void> open(SessionOptions options) {
        try {
            requests.start("wellkeeper-jdbc-requests-" + id);
            messages.start("wellkeeper-jdbc-messages-" + id);
        } catch (Throwable failed) {
            disconnect();
            return CompletableFuture.failedFuture(Failures.unreachable(database.address(), failed));
        }
        Map<String, Object> parameters = me();
        parameters.put("client", options.clientName());
        parameters.put("poller", POLLER + id.substring(1));
        CompletableFuture<Void> opened = Stages.then(requests.run(Step.OPEN, parameters), this::begun);
        return opened.whenComplete((done, failure) -> {
            if (failure != null) {
                disconnect();
            } else {
                sweepOrphans();
            }
        });
    }

    /**
     * Fails if no session may begin yet. Otherwise the session has begun. It listens, unless the database has given it
     * another id: then enough others listen, and it polls.
     *
     * @param rows whether the session has begun, and for how many milliseconds none may begin; where not all sessions
     *     may listen, also the id, and how many may listen
     */
    private void begun(List<Object[]> rows) {
        Object[] row = rows.get(0);
        if (!isOne(rows, 0)) {
            throw recovering(Duration.ofMillis((Long) row[1]));
        }
        if (row.length == 2 || row[2].equals(id)) {
            polling.probe();
        } else {
            id = (String) row[2];
            messages.close();
            polling.beOneTooMany(((Number) row[3]).longValue());
        }
    }

    private StoreRecoveringException recovering(Duration wait) {
        return new StoreRecoveringException(
                "the tables at " + database.address() + " were emptied, or made by an earlier version, and sessions may"
                        + " have been forgotten. The next one begins in " + wait.toMillis()
                        + " ms, when nobody relies upon them any more",
                wait);
    }

    private Map<String, Object> me() {
        Map<String, Object> parameters = new HashMap<>();
        parameters.put("me", id);
        parameters.put("millis", timeout.toMillis());
        return parameters;
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
        return Stages.then(requests.run(Step.HEARTBEAT, me()), rows -> {
            checkLiving(isOne(rows, 0));
            Object[] row = rows.get(0);
            if ((Long) row[1] > 0) {
                sweepOrphans();
            }
            if (row.length > 2) {
                polling.used((Double) row[2]);
            }
        });
    }

    @Override
    public TicketQueue queue(String name) {
        return new SqlQueue(this, name);
    }

    @Override
    public CompletionStage<List<String>> names(String prefix) {
        return Stages.map(
                run(Step.NAMES, Map.of("prefix", prefix)),
                rows -> rows.stream().map(row -> (String) row[0]).toList());
    }

    /**
     * How many connections for requests have followed the first: on a new one, unanswered requests are carried out
     * again.
     */
    int connections() {
        return connections;
    }

    /** Has a step carried out; adds the parameters that name this session. */
    CompletableFuture<List<Object[]>> run(Step step, Map<String, ?> parameters) {
        return requests.run(step, withMe(parameters));
    }

    private Map<String, Object> withMe(Map<String, ?> parameters) {
        Map<String, Object> all = me();
        all.putAll(parameters);
        return all;
    }

    static boolean isOne(List<Object[]> rows, int column) {
        return rows.get(0)[column].equals(1L);
    }

    CompletionStage<Place> take(String name, TicketRequest request) {
        coming.merge(name, 1, Integer::sum);
        taking.add(request.id());
        Departures.Taking underWay = departures.taking();
        Map<String, Object> parameters = new HashMap<>();
        parameters.put("name", name);
        parameters.put("request", request.id());
        parameters.put("mode", request.mode().ordinal());
        parameters.put("permits", request.permits());
        parameters.put("metadata", request.metadata());
        parameters.put("fresh", TicketIds.fresh(id, request));
        CompletableFuture<Place> place =
                Stages.map(run(Step.TAKE, parameters), rows -> place(name, request.id(), rows));
        place.whenComplete((taken, failure) -> {
            departures.taken(underWay);
            taking.remove(request.id());
            coming.computeIfPresent(name, (unused, n) -> n == 1 ? null : n - 1);
            if (failure != null) { // the answer to an earlier attempt may have been lost
                compareLater(BUSY); // one comparison for all takes that fail together
            }
        });
        return place;
    }

    private Place place(String name, String request, List<Object[]> rows) {
        List<Ticket> all = TicketIds.tickets(rows);
        int place = 0;
        while (place < all.size() && !isMine(all.get(place), request)) {
            place++;
        }
        checkLiving(place < all.size());
        Ticket mine = all.get(place);
        if (mine.number() > Place.MAX_TOKEN) { // the ticket is not recorded as own, so that it is given back
            throw new StoreRefusalException("the numbers of " + name + " at " + database.address() + " have run out");
        }
        own(mine, name);
        for (int i = place - 1; i >= 0; i--) {
            if (!all.get(i).session().equals(id)) {
                contended.add(mine.id());
                if (rows.get(i)[6] instanceof Long millisLeft) { // else the server does not watch it yet
                    departures.armed(name, mine, all.get(i), millisLeft);
                }
                break;
            }
        }
        return new Place(mine, mine.number(), all.subList(0, place));
    }

    /**
     * Records a ticket that an answer has shown as an own one, unless its departure was told before the answer came.
     */
    private void own(Ticket ticket, String name) {
        own.put(ticket.id(), name);
        if (departures.isTold(ticket.id())) {
            disown(ticket.id());
        }
    }

    private boolean isMine(Ticket ticket, String request) {
        return ticket.session().equals(id) && TicketIds.request(ticket).equals(request);
    }

    private void checkLiving(boolean living) {
        if (!living) {
            lost();
            throw new SessionLostException("the session " + id + " at " + database.address() + " has ended");
        }
    }

    private void lost() {
        health.lost(this::leave);
    }

    /** A session that has ended refuses the removal: the ticket stays an own one, and is swept away with the others. */
    CompletionStage<Boolean> remove(String name, Ticket ticket) {
        Map<String, Object> parameters = TicketIds.parameters(name, ticket);
        parameters.put("contended", contended.remove(ticket.id()));
        CompletableFuture<List<Object[]>> removal = run(Step.REMOVE, parameters);
        if (!removal.isCompletedExceptionally() && own.remove(ticket.id()) != null) {
            departures.forgetOwn(ticket);
            arrivals.remove(TicketIds.request(ticket));
        }
        return Stages.map(removal, rows -> isOne(rows, 0));
    }

    CompletionStage<Boolean> alone(String name, Ticket mine, Runnable arrived) {
        String request = TicketIds.request(mine);
        arrivals.put(request, arrived); // first, so that it is run if the polling begins now
        if (polling.isOn()) { // no message would tell of a newcomer
            arrivals.remove(request);
            return CompletableFuture.completedFuture(false);
        }
        return Stages.map(run(Step.ALONE, TicketIds.parameters(name, mine)), rows -> {
            checkLiving(isOne(rows, 0));
            boolean alone = isOne(rows, 1);
            if (!alone) {
                arrivals.remove(request);
            }
            return alone;
        });
    }

    CompletionStage<Ticket> replace(String name, Ticket mine, Mode mode, int permits) {
        Ticket milder = TicketIds.next(mine, mode, permits);
        Map<String, Object> parameters = TicketIds.parameters(name, mine);
        parameters.put("mode", mode.ordinal());
        parameters.put("permits", permits);
        parameters.put("milder", TicketIds.word(milder));
        Departures.Taking underWay = departures.taking();
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        Stages.map(run(Step.REPLACE, parameters), this::isReplaced).whenComplete((replaced, failure) -> {
            if (failure == null) {
                done.complete(replaced);
            } else { // an earlier attempt may have been carried out, and its answer lost
                find(milder, done, failure);
            }
        });
        CompletionStage<Ticket> ticket = Stages.map(done, replaced -> {
            if (!replaced) {
                throw new LockStoreException("the ticket to be replaced is gone: " + mine);
            }
            own(milder, name);
            disown(mine.id());
            departures.forgetOwn(mine);
            return milder;
        });
        ticket.whenComplete((known, failure) -> departures.taken(underWay));
        return ticket;
    }

    private boolean isReplaced(List<Object[]> rows) {
        checkLiving(isOne(rows, 0));
        return isOne(rows, 1);
    }

    /**
     * Finds out whether this session has a ticket; asks until that is known, or the session has ended.
     *
     * @param found completed with true if the session has the ticket
     * @param failure what {@code found} fails with otherwise
     */
    private void find(Ticket ticket, CompletableFuture<Boolean> found, Throwable failure) {
        run(Step.MINE, Map.of()).whenComplete((rows, unknown) -> {
            if (unknown != null && !health.ended()) {
                later(heartbeatInterval(), () -> find(ticket, found, failure));
            } else if (unknown == null
                    && rows.stream().anyMatch(row -> TicketIds.of(row).equals(ticket.id()))) {
                found.complete(true);
            } else {
                found.completeExceptionally(failure);
            }
        });
    }

    /** Whether the ticket is a living one of this session, as far as this client knows. */
    boolean owns(Ticket ticket) {
        return own.containsKey(ticket.id());
    }

    /**
     * Has the database record that this session is to be told when the ticket departs.
     *
     * @return the milliseconds left to the ticket's session, or 0 if the ticket is gone
     */
    CompletableFuture<Long> watch(String name, Ticket ticket) {
        return Stages.map(
                run(Step.WATCH, TicketIds.parameters(name, ticket)),
                rows -> rows.isEmpty() ? 0 : (Long) rows.get(0)[0]);
    }

    void unwatch(String name, Ticket ticket) {
        run(Step.UNWATCH, TicketIds.parameters(name, ticket));
    }

    /** Has the database record that this session is to be told when another notice is put up. */
    CompletableFuture<?> heed(String name) {
        return run(Step.HEED, Map.of("name", name));
    }

    void unheed(String name) {
        run(Step.UNWATCH, Map.of("name", name, "number", 0L, "generation", 0));
    }

    Departures departures() {
        return departures;
    }

    NoticeWatches notices() {
        return notices;
    }

    /**
     * Asks which tickets live.
     *
     * @param tickets by lock
     * @return by living ticket, the milliseconds left to its session
     */
    CompletableFuture<Map<String, Long>> check(Map<String, List<Ticket>> tickets) {
        List<String> names = new ArrayList<>();
        List<Long> numbers = new ArrayList<>();
        tickets.forEach((name, queued) -> queued.forEach(ticket -> {
            names.add(name);
            numbers.add(ticket.number());
        }));
        return Stages.map(
                run(Step.CHECK, Map.of("names", names.toArray(String[]::new), "numbers", numbers.toArray(Long[]::new))),
                rows -> {
                    Map<String, Long> left = new HashMap<>();
                    rows.forEach(row -> left.put(TicketIds.of(row), (Long) row[6]));
                    return left;
                });
    }

    /** A ticket was found gone, and no message had told so: remains of it may still be in the database. */
    void bury(String name, Ticket ticket) {
        run(Step.REMOVE, TicketIds.parameters(name, ticket));
        hear(name, ticket.id());
        sweepOrphans();
    }

    /**
     * Handles a departure that this session has seen, and that no message told. The session sends a message to itself,
     * or reads the notice first, so that the departure overtakes no notice that came before it. Both need a database
     * that knows this session: a database that does not has lost its data, and a ticket that is missing there proves
     * nothing.
     */
    void hear(String name, String ticket) {
        if (polling.isOn()) {
            heartbeat().thenCompose(living -> readNews(name)).thenAccept(notice -> {
                notices.found(name, notice);
                departures.departed(ticket, "");
            });
        } else {
            run(Step.HEAR, Map.of("ticket", ticket)); // if it fails, the next round sees it again
        }
    }

    /**
     * Sweeps away what ended sessions left behind. A lock whose row another client has is left to that client, or to
     * the next heartbeat that finds it. The locks are swept one after the other, because a session may have left
     * tickets of very many, and requests that come meanwhile go in between.
     */
    private void sweepOrphans() {
        if (sweeping.compareAndSet(false, true)) {
            run(Step.ORPHANS, Map.of()).whenComplete((rows, failure) -> {
                if (failure == null && !rows.isEmpty()) {
                    sweepNext(rows.iterator());
                } else {
                    sweeping.set(false);
                }
            });
        }
    }

    private void sweepNext(Iterator<Object[]> names) {
        if (names.hasNext() && !health.ended()) {
            run(Step.SWEEP, Map.of("name", names.next()[0])).whenComplete((swept, failure) -> sweepNext(names));
        } else {
            sweeping.set(false);
            run(Step.ORPHANS, Map.of()); // forgets the sessions that have nothing left
        }
    }

    @Override
    public void message(String text) {
        polling.heard();
        String rest = text.substring(1);
        switch (text.charAt(0)) {
            case 'd' -> {
                String[] parts = rest.split(" ", 2);
                departures.departed(parts[0], parts.length == 1 ? "" : parts[1]);
            }
            case 'a' ->
                (rest.isEmpty() ? List.copyOf(arrivals.keySet()) : List.of(rest.split("[ ;]+"))).forEach(this::arrived);
            case 'n' -> notices.changed(rest);
            case 'l' -> longNotice(rest);
            case 'x' -> lost();
            default -> {}
        }
    }

    /**
     * A notice too long for a message is read before the next message is handled: it may say how to take that message.
     */
    private void longNotice(String name) {
        try {
            notices.changed(name, readNews(name).join());
        } catch (CompletionException failed) {
            notices.mayHaveChanged(name); // each watcher reads it itself
        }
    }

    private CompletableFuture<Notice> readNews(String name) {
        return Stages.map(readNews(Set.of(name)), found -> found.getOrDefault(name, NO_NOTICE));
    }

    /**
     * Reads notices before other requests about these names, such as takes that wait long, as watchers are to be told.
     *
     * @return by name; none of a lock that has no row
     */
    private CompletableFuture<Map<String, Notice>> readNews(Set<String> names) {
        return Stages.map(run(Step.NEWS, Map.of("names", names.toArray(String[]::new))), rows -> {
            Map<String, Notice> found = new HashMap<>();
            rows.forEach(row -> found.put((String) row[0], new Notice((String) row[1], (Long) row[2])));
            return found;
        });
    }

    CompletableFuture<Notice> readNotice(Step step, String name) {
        return Stages.map(
                run(step, Map.of("name", name)),
                rows -> rows.isEmpty() ? NO_NOTICE : new Notice((String) rows.get(0)[0], (Long) rows.get(0)[1]));
    }

    private void arrived(String request) {
        Runnable told = arrivals.remove(request);
        if (told != null) {
            told.run();
        }
    }

    /**
     * Warnings of what keeps this session from being woken, or from waking others, and of wrong settings of the server.
     */
    @Override
    public CompletionStage<List<String>> warnings() {
        return Stages.map(run(Step.SETTINGS, Map.of()), rows -> {
            List<String> warnings = new ArrayList<>(database.statements().warnings());
            if (polling.isOn()) {
                warnings.add(polling.warning());
            }
            Map<String, String> settings = new HashMap<>();
            rows.forEach(row -> settings.put((String) row[0], (String) row[1]));
            warnings.addAll(database.dialect().warnings(settings));
            return warnings;
        });
    }

    @Override
    public void listening() {
        reconnected();
        polling.probe();
    }

    @Override
    public void deaf() {
        polling.probe();
    }

    /**
     * Requests go through again, perhaps to another server than the one that sends the messages. A session that polls
     * looks at everything now; one that listens learns in {@link #listening()} that messages may have been missed.
     */
    private void connectedAgain() {
        connections++;
        if (polling.isOn()) {
            later(Duration.ZERO, this::reconnected); // after the request that waits for the connection
        }
        later(Duration.ZERO, polling::probe);
    }

    /** Looks at everything, because messages may have been missed. */
    private void reconnected() {
        List.copyOf(arrivals.keySet()).forEach(this::arrived);
        notices.allMayHaveChanged();
        departures.look();
        compareOwn();
    }

    /**
     * Compares the tickets of this session in the database with those that this client knows. A ticket that only the
     * database knows is given back: the server may have crashed before it had a removal on the disk, or the answer to a
     * take was lost. A ticket that only this client knows was taken away while the client heard nothing, so its
     * departure is told. If the comparison fails, it is done again after a while.
     */
    private void compareOwn() {
        Map<String, String> known = Map.copyOf(own); // copied first: more may be taken while the server is asked
        CompletableFuture<List<Boolean>> compared = run(Step.MINE, Map.of()).thenCompose(rows -> {
            loseAllBut(rows, known);
            Set<String> kept = own.keySet().stream().map(TicketIds::taken).collect(Collectors.toSet());
            List<CompletableFuture<Boolean>> removals = new ArrayList<>();
            for (Object[] row : rows) {
                String name = (String) row[6];
                Ticket ticket = TicketIds.ticket(row);
                if (!kept.contains(TicketIds.taken(ticket.id()))
                        && !taking.contains(TicketIds.request(ticket))
                        && !isKept(ticket)) { // it may have become an own one by now
                    removals.add(remove(name, ticket).toCompletableFuture());
                }
            }
            return Stages.all(removals);
        });
        compared.whenComplete((done, failure) -> {
            if (failure != null) {
                compareLater(heartbeatInterval());
            }
        });
    }

    /** As {@link #compareOwn}, after this delay; only one comparison is planned at a time. */
    private void compareLater(Duration delay) {
        if (!health.ended() && toCompare.compareAndSet(false, true)) {
            later(delay, () -> {
                toCompare.set(false);
                compareOwn();
            });
        }
    }

    /**
     * Disowns each known ticket that the server does not have. Its watchers are told, also those that begin later.
     */
    private void loseAllBut(List<Object[]> rows, Map<String, String> known) {
        Set<String> there =
                rows.stream().map(row -> TicketIds.taken(TicketIds.of(row))).collect(Collectors.toSet());
        known.forEach((ticket, name) -> {
            if (!there.contains(TicketIds.taken(ticket)) && disown(ticket)) {
                hear(name, ticket);
            }
        });
    }

    /** The ticket is no longer an own one, if it was: a watch of it that begins from now on asks the database. */
    boolean disown(String ticket) {
        contended.remove(ticket);
        return own.remove(ticket) != null;
    }

    /**
     * Whether the ticket is an own one that lives, in this generation or another: replacing it counts the generation
     * up.
     */
    private boolean isKept(Ticket ticket) {
        String taken = TicketIds.taken(ticket.id());
        return own.keySet().stream().anyMatch(one -> one.startsWith(taken));
    }

    /** Whether the session has ended, so that nothing is asked for it any more. */
    boolean hasEnded() {
        return health.ended();
    }

    /** Whether the session has ended, and the database knows that or will not be told any more. */
    boolean left() {
        CompletableFuture<Void> end = leaving.get();
        return end != null && end.isDone();
    }

    @Override
    public CompletionStage<Void> close() {
        return leave();
    }

    private CompletableFuture<Void> leave() {
        CompletableFuture<Void> left = new CompletableFuture<>();
        if (!leaving.compareAndSet(null, left)) {
            return Objects.requireNonNull(leaving.get());
        }
        health.close(); // before the END request, as a message may tell of the end at once
        Set<String> names = new HashSet<>(own.values());
        names.addAll(coming.keySet());
        names.addAll(departures.close());
        names.addAll(notices.names());
        CompletableFuture<List<Object[]>> end = requests.runAnyway(Step.END, me());
        CompletableFuture<List<Object[]>> swept = end.handle((done, failure) -> requests.runAnyway(Step.MINE, me()))
                .thenCompose(mine -> mine)
                .handle((rows, failure) -> {
                    if (rows != null) { // these include tickets that a crash of the server has brought back
                        rows.forEach(row -> names.add((String) row[6]));
                    }
                    return sweep(names);
                })
                .thenCompose(sweeping -> sweeping);
        Time.limit(Stages.all(List.of(end, swept)), timeout).whenComplete((done, failure) -> {
            disconnect();
            if (failure == null || health.isLost()) {
                left.complete(null);
            } else {
                left.completeExceptionally(
                        new LockStoreException("the end of the session was not acknowledged", failure));
            }
        });
        return left;
    }

    private CompletableFuture<List<Object[]>> sweep(Set<String> names) {
        if (names.isEmpty()) {
            return CompletableFuture.completedFuture(List.of());
        }
        return Stages.all(names.stream().map(this::sweep).toList())
                .thenCompose(swept -> requests.runAnyway(Step.END, me()));
    }

    /** Sweeps one lock; tries again for as long as another client has the row of the lock. */
    private CompletableFuture<List<Object[]>> sweep(String name) {
        return requests.runAnyway(Step.SWEEP, withMe(Map.of("name", name))).thenCompose(rows -> {
            if (isOne(rows, 0)) {
                return CompletableFuture.completedFuture(rows);
            }
            CompletableFuture<List<Object[]>> again = new CompletableFuture<>();
            later(
                    BUSY,
                    () -> sweep(name).whenComplete((swept, failure) -> {
                        if (failure == null) {
                            again.complete(swept);
                        } else {
                            again.completeExceptionally(failure);
                        }
                    }));
            return again;
        });
    }

    private void disconnect() {
        messages.close();
        requests.close();
    }

    static void later(Duration delay, Runnable task) {
        Time.later(delay, task);
    }
}
