package io.wellkeeper.internal;

import io.wellkeeper.LockClientClosedException;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.Registration;
import io.wellkeeper.internal.LiveSession.Heard;
import io.wellkeeper.internal.LiveSession.View;
import io.wellkeeper.spi.DepartureWatcher;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.SessionLostException;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketRequest;
import io.wellkeeper.spi.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The acquire loop, written once for every primitive and every store. As a program that could block it would read:
 *
 * <pre>{@code
 * place = queue.take(request);                          // one round trip: my number, and everything ahead
 * ahead = place.ahead();
 * while (!rule.blockers(mine, ahead).isEmpty()) {
 *     departed = await a departure among rule.worthWatching(mine, ahead);
 *     ahead.remove(departed);                           // nobody ever appears ahead of me, so what is left is enough ...
 *     if (departed.isReplaceable()                      // ... unless this one has only been replaced by a milder one
 *             || rule.blockers(mine, ahead) is not empty) ahead = queue.tickets() below mine;
 * }
 * }</pre>
 *
 * <p>Where the number of permits stands in the queue's notice, the loop reads and watches the notice together with the
 * tickets. When the notice has changed, the loop reads the notice alone. It reads the tickets again only if the new
 * number of permits would let it in.
 *
 * <p>It never blocks. Every event takes the lock, moves the state on, and leaves the talking to the store for after the
 * lock has been released:
 *
 * <pre>
 *   NEW --start--> TAKING --place--> QUEUED --no blockers--> ENTERED
 *    ^               |                 |
 *    +--session lost-+-----------------+--> OVER (abandoned, refused or failed)
 * </pre>
 *
 * <p>Exactly one place gives a ticket back: {@link LiveSession#giveBack}, reached from here when the attempt is over
 * before it entered, and from {@link TicketGrant#leave} afterwards.
 *
 * <p>The loop does not watch living tickets of its own client: the client tells it when it gives them back, and nobody
 * else can get in between two tickets of one client. If a blocker belongs to another client, the loop also watches its
 * own ticket, in case somebody removes that by hand. If all blockers belong to its own client, it hears of such a
 * removal only when it has been in for a heartbeat, as a holder does. A ticket that another waiter of the session
 * watches is taken for alive, so the loop watches it without a look at the queue first. Otherwise all waiters for
 * permits would ask the store whenever a holder far ahead of them gives some permits back.
 */
final class AcquireLoop implements Attempt, Waiting, DepartureWatcher {

    private enum State {
        NEW,
        TAKING,
        QUEUED,
        ENTERED,
        OVER
    }

    private static final Duration LOOK_AGAIN = Duration.ofMillis(100);
    private static final int MOST_DOUBLINGS = 4;
    private static final int BEATS_PER_LOOK = 8;
    private static final int QUICK_CORRECTIONS = 8;
    private static final Runnable NOTHING = () -> {};
    private static final CompletionStage<Heard> NOT_ASKED =
            CompletableFuture.completedFuture(new Heard(Optional.empty(), null));

    private final String name;
    private final Want want;
    private final boolean mayWait;
    private final Supplier<String> metadata;
    private final Supplier<SessionKeeper> keepers; // asked when the attempt starts, because that may begin a session
    private final Time time;
    private final Function<Waiting, Registration> registry;
    private final Stragglers stragglers;
    private final Attempt.Listener listener;

    private final Monitor lock = new Monitor(); // guards all below
    private State state = State.NEW;
    private @Nullable LiveSession session;
    private @Nullable TicketQueue queue;
    private boolean queueIsTold; // the store tells the queue together with departures
    private @Nullable Place place;
    private @Nullable AdmissionRule rule; // null while the number of permits is unknown, or smaller than I want
    private boolean sized; // whether the number of permits is known
    private Optional<Notice> noticeOfRule = Optional.empty(); // which says the number of permits
    private Optional<Notice> replaced = Optional.empty(); // the last notice that this client has replaced
    private final Sight sight = new Sight();
    private Optional<Notice> noticeThen = Optional.empty(); // the notice as it was read with the queue
    private boolean noticeIsNewer; // than the queue as it was seen: my ticket may have departed before this notice
    private final Watches watches = new Watches();
    private Registration registered = Registration.NONE;
    private Registration inLine = Registration.NONE; // the place in the line behind abandoned requests
    private Description description = new Description(""); // the text on the ticket
    private int beats;
    private int corrections;
    private int failures; // of the store to answer, without an answer in between
    private boolean waiting;
    private List<Ticket> wanted = List.of(); // by the last decision, tickets whose departure may change something
    private @Nullable TicketGrant entered;
    private volatile @Nullable SessionKeeper keeper; // null before the attempt starts, the same ever after
    private volatile long since;
    private volatile boolean answered;
    private volatile @Nullable Throwable trouble; // why the store has failed when it was last asked; null if it has not

    AcquireLoop(
            String name,
            Want want,
            boolean mayWait,
            Supplier<String> metadata,
            Supplier<SessionKeeper> keepers,
            Time time,
            Function<Waiting, Registration> registry,
            Stragglers stragglers,
            Attempt.Listener listener) {
        this.name = name;
        this.want = want;
        this.mayWait = mayWait;
        this.metadata = metadata;
        this.keepers = keepers;
        this.time = time;
        this.registry = registry;
        this.stragglers = stragglers;
        this.listener = listener;
        this.since = time.nanoTime();
    }

    @Override
    public boolean answered() {
        return answered;
    }

    @Override
    public long since() {
        return since;
    }

    @Override
    public @Nullable Throwable trouble() {
        Throwable own = trouble;
        SessionKeeper known = keeper;
        return own == null && known != null ? known.lastFailure() : own;
    }

    /** Takes a number as soon as there is a session; without one, {@link #poke} starts it later. */
    @Override
    public void start() {
        String text = metadata.get();
        SessionKeeper asked = keeper;
        if (asked == null) {
            since = time.nanoTime();
            try {
                asked = keepers.get();
            } catch (LockStoreException nowhere) {
                step(() -> state == State.NEW ? over(() -> listener.failed(nowhere)) : NOTHING);
                return;
            }
            keeper = asked;
        }
        SessionKeeper known = asked;
        step(() -> register(() -> begin(known, text)));
    }

    private Runnable register(Runnable then) {
        if (state != State.NEW) {
            return NOTHING;
        }
        if (registered == Registration.NONE) {
            try {
                registered = registry.apply(this);
            } catch (LockClientClosedException closed) {
                return over(() -> listener.failed(closed));
            }
        }
        return then;
    }

    /** By now this waiter is registered and is told of every other session, so it cannot miss one. */
    private void begin(SessionKeeper keeper, String text) {
        LiveSession current = keeper.session();
        if (current == null || current.ended()) {
            keeper.demand();
            return;
        }
        if (waitsInLine()) {
            return;
        }
        TicketQueue target;
        boolean tellsQueue;
        try {
            target = current.queue(name);
            tellsQueue = target.tellsQueue();
        } catch (Throwable failed) {
            step(() -> state == State.NEW ? onTakeFailed(current, failed) : NOTHING);
            return;
        }
        step(() -> take(current, target, tellsQueue, text));
    }

    /**
     * Whether the attempt has to wait in line. It gets its place under the lock, so that of two threads that get a
     * place, only the earlier place is left: the line may have let it go by then.
     */
    private boolean waitsInLine() {
        lock.lock();
        try {
            Registration place = state == State.NEW ? stragglers.enter(name, this::start) : null;
            if (place != null) {
                inLine.close();
                inLine = place;
            }
            return place != null;
        } finally {
            lock.unlock();
        }
    }

    private Runnable take(LiveSession from, TicketQueue target, boolean tellsQueue, String text) {
        if (state != State.NEW || from.ended()) {
            return NOTHING;
        }
        state = State.TAKING;
        session = from;
        queue = target;
        queueIsTold = tellsQueue;
        int question = sight.ask();
        noticeIsNewer = false;
        wanted = List.of();
        description = new Description(text);
        rule = want.size() == null ? want.rule() : null;
        sized = want.size() == null;
        return () -> {
            CompletionStage<Place> take = Calls.stage(
                    () -> target.take(new TicketRequest(Calls.requestId(), want.mode(), want.permits(), text)));
            CompletionStage<Optional<Notice>> notice = readNotice(target);
            take.whenComplete((taken, failure) ->
                    notice.whenComplete((read, never) -> onTaken(question, from, target, taken, read, failure)));
        };
    }

    /**
     * The queue's notice; empty if this attempt does not need it, or if it cannot be read now. The stage never fails.
     */
    private CompletionStage<Optional<Notice>> readNotice(TicketQueue target) {
        return askForNotice(target).thenApply(heard -> {
            noticeFailed(heard.failure());
            return heard.notice();
        });
    }

    /** As {@link #readNotice}, but the failure is left to each of the attempts that share the answer. */
    private CompletionStage<Heard> askForNotice(TicketQueue target) {
        return want.size() == null
                ? NOT_ASKED
                : Calls.stage(target::notice)
                        .handle((notice, failure) -> new Heard(Optional.ofNullable(notice), failure));
    }

    private void noticeFailed(@Nullable Throwable failure) {
        if (failure != null) {
            failed(Calls.unwrap(failure));
            endIfRefused(failure);
        }
    }

    /**
     * The store has failed to do what this attempt asked. The keeper is told once of the same failure, whatever the
     * store answers for other locks meanwhile. The loss of the session does not count as such a failure.
     */
    private void failed(Throwable cause) {
        if (!(cause instanceof SessionLostException)) {
            boolean news = Calls.isNews(trouble, cause);
            trouble = cause;
            if (news) {
                keeperNow().troubled(cause);
            }
        }
    }

    /**
     * Notes that the store has answered, unless a notice is needed and missing. Returns whether this ends a failure.
     */
    private boolean hasAnswered(Optional<Notice> notice) {
        if (want.size() != null && notice.isEmpty()) {
            return false;
        }
        answered = true;
        failures = 0;
        boolean recovered = trouble != null;
        trouble = null;
        return recovered;
    }

    /** Ends the attempt if the store refuses a request for good: the attempt needs everything that it asks for. */
    private void endIfRefused(@Nullable Throwable failure) {
        if (failure != null && Calls.isRefusal(failure)) {
            fail(keeperNow().translate(failure));
        }
    }

    private void onTaken(
            int question,
            LiveSession from,
            TicketQueue target,
            @Nullable Place taken,
            Optional<Notice> notice,
            @Nullable Throwable failure) {
        step(() -> {
            if (taken == null) {
                return onTakeFailed(from, failure);
            }
            boolean recovered = hasAnswered(notice);
            return told(recovered, onPlace(question, from, target, taken, notice));
        });
    }

    private Runnable told(boolean recovered, Runnable then) {
        return recovered ? both(then, () -> keeperNow().troubled(null)) : then;
    }

    private Runnable onPlace(int question, LiveSession from, TicketQueue target, Place taken, Optional<Notice> notice) {
        boolean lives = from.taken(name, taken.ticket());
        if (state == State.OVER) {
            return () -> {
                try {
                    from.leave(name, target, taken.ticket());
                } finally {
                    stragglers.answered(name);
                }
            };
        }
        if (from.ended()) {
            return anew();
        }
        state = State.QUEUED;
        place = taken;
        if (!lives) {
            return takeAgain();
        }
        sight.answer(question);
        sight.drawn(taken.ahead());
        noticeThen = notice;
        place = new Place(taken.ticket(), taken.token(), List.of()); // sight has the tickets ahead, which may be many
        return sight.isOutdated() ? look() : measureAndDecide(notice);
    }

    private Runnable onTakeFailed(LiveSession from, @Nullable Throwable failure) {
        if (state == State.OVER) {
            return () -> stragglers.answered(name);
        }
        Throwable cause = Calls.unwrap(failure == null ? new IllegalStateException("no reply") : failure);
        if (from.ended() || cause instanceof SessionLostException) {
            Runnable again = anew();
            return () -> {
                keeperNow().lostIfSo(from, cause);
                again.run();
            };
        }
        if (!want.once() && !Calls.isRefusal(cause)) {
            return takeLater(cause);
        }
        return over(() -> listener.failed(keeperNow().translate(cause)));
    }

    /**
     * The store has failed to give a ticket, and there is none: asks again after a pause, as long as somebody waits.
     */
    private Runnable takeLater(Throwable cause) {
        sight.stopAsking();
        state = State.NEW;
        return both(lookLater(), () -> failed(cause));
    }

    /** Begins again in the next session that there is, or ends as refused if the ticket was wanted only once. */
    private Runnable anew() {
        sight.stopAsking();
        if (want.once()) {
            return over(listener::refused);
        }
        state = State.NEW;
        return this::start;
    }

    private Runnable over(Runnable then) {
        state = State.OVER;
        Registration done = registered;
        Registration line = inLine;
        return () -> {
            done.close();
            line.close();
            then.run();
        };
    }

    /** Determines the number of permits, corrects the notice if it does not say that number, and then decides. */
    private Runnable measureAndDecide(Optional<Notice> notice) {
        Size size = want.size();
        if (size == null) {
            return decide();
        }
        if (notice.isEmpty()) {
            return lookLater();
        }
        if (notice.equals(replaced)) {
            replaced = Optional.empty();
            rule = null;
            return look();
        }
        noticeOfRule = notice;
        Size.Reading reading;
        try {
            reading = size.read(NoticeForm.parse(notice.get().text()), mine().number(), sight.ahead());
        } catch (IllegalStateException | IllegalArgumentException mismatch) {
            return leaveAnd(over(() -> listener.failed(mismatch)));
        }
        NoticeForm correction = reading.correction();
        sized = reading.isKnown() && correction == null;
        rule = sized && reading.permits() >= want.permits() ? AdmissionRule.permits(reading.permits()) : null;
        if (!reading.isKnown()) {
            return lookLater();
        }
        if (correction == null) {
            return decide();
        }
        TicketQueue target = queueNow();
        boolean patient = ++corrections > QUICK_CORRECTIONS; // other clients correct it, too, or the store refuses
        Runnable look = patient ? lookLater() : look();
        return () -> {
            Calls.stage(() -> target.post(notice.get(), correction.format()))
                    .whenComplete((posted, failure) -> endIfRefused(failure));
            look.run(); // shows whether the correction is there, from this client or another
        };
    }

    /** Enters, gives up, or sees to it that the blockers are watched. */
    private Runnable decide() {
        Ticket mine = mine();
        LiveSession from = sessionNow();
        AdmissionRule known = rule;
        if (known != null) {
            overlookGivenBack(known, mine);
        }
        wanted = known == null ? List.of() : List.copyOf(worthWatching(known, mine));
        if (known != null && overlookBefore(wanted)) {
            wanted = List.copyOf(worthWatching(known, mine));
        }
        if (known != null && wanted.isEmpty()) {
            if (!from.alive()) {
                return NOTHING; // if the session comes to life again, poke() looks once more
            }
            return noticeIsNewer ? look() : enter();
        }
        if (!mayWait) {
            return sized ? leaveAnd(over(listener::refused)) : NOTHING;
        }
        Runnable announce = waiting ? NOTHING : listener::waiting;
        waiting = true;
        if (want.size() != null && watches.placeNotice()) {
            TicketQueue target = queueNow();
            return both(() -> armNotice(target), announce);
        }
        List<Ticket> missing = new ArrayList<>();
        for (Ticket ticket : wanted) {
            if (!watches.hasTicket(ticket) && !isTold(ticket)) {
                missing.add(ticket);
            }
        }
        if (!watches.hasTicket(mine) && (known == null || !wanted.stream().allMatch(this::isTold))) {
            missing.add(mine);
        }
        if (missing.isEmpty()) {
            return announce;
        }
        if (sight.isProof() && !missing.stream().allMatch(ticket -> from.isWatched(name, ticket))) {
            return sight.isAsking()
                    ? announce
                    : both(look(), announce); // an answer under way is read without departed tickets
        }
        return both(watch(mine, missing, wanted), announce);
    }

    /**
     * Takes blockers for departed that this client has given back itself: this loop has been told of it, or will be in
     * a moment. Where another waiter has seen that nobody is ahead of such a blocker, the tickets ahead of it are taken
     * for departed, too; the session forgets that knowledge when all have been told. A blocker that may have been
     * replaced by a milder ticket stays.
     */
    private void overlookGivenBack(AdmissionRule known, Ticket mine) {
        LiveSession from = sessionNow();
        List<Ticket> given;
        do {
            given = known.blockers(mine, sight.ahead()).stream()
                    .filter(ticket -> !mayHaveHeir(ticket) && from.isGivenBack(name, ticket))
                    .toList();
            overlookBefore(given);
            sight.ahead().removeAll(given);
        } while (!given.isEmpty());
    }

    /**
     * Takes the tickets ahead of this one for departed if another waiter of this client has seen that nobody is ahead
     * of it.
     *
     * @return whether there were any
     */
    private boolean overlookBefore(Ticket ticket) {
        return session != null && session.isForemost(name, ticket) && sight.foremost(ticket);
    }

    private boolean overlookBefore(List<Ticket> tickets) {
        boolean news = false;
        for (Ticket ticket : tickets) {
            news |= overlookBefore(ticket);
        }
        return news;
    }

    private boolean wantsBefore(Ticket ticket) {
        return wanted.stream().anyMatch(other -> other.compareTo(ticket) < 0);
    }

    /** The blockers and, if there are any, further tickets whose departure saves a request later. */
    private List<Ticket> worthWatching(AdmissionRule known, Ticket mine) {
        if (!queueIsTold) {
            return known.worthWatching(mine, sight.ahead());
        }
        List<Ticket> blockers = known.blockers(mine, sight.ahead());
        if (blockers.isEmpty() || !blockers.stream().allMatch(this::isTold)) {
            return blockers;
        }
        List<Ticket> strangers = new ArrayList<>(sight.ahead());
        strangers.removeIf(ticket -> ticket.session().equals(mine.session()));
        List<Ticket> wanted = new ArrayList<>(blockers);
        wanted.addAll(known.blockers(mine, strangers)); // their departure shows who is ahead of our own tickets
        return wanted;
    }

    /**
     * Whether this loop will be told at once of the ticket's departure, because the ticket is our own: it lives, or
     * another thread has given it back since {@link #overlookGivenBack}. A ticket that may have been replaced is looked
     * at once more in any case.
     */
    private boolean isTold(Ticket ticket) {
        return sessionNow().isOwnAndLiving(name, ticket)
                || (!mayHaveHeir(ticket) && sessionNow().isGivenBackAndTold(name, ticket));
    }

    /**
     * Whether a milder ticket may replace this one when it departs; not if its owner in this client has left with it.
     */
    private boolean mayHaveHeir(Ticket ticket) {
        return ticket.isReplaceable() && !(session != null && session.isLeftWith(name, ticket));
    }

    /** Begins to watch the missing tickets, and stops watching those that are not wanted. */
    private Runnable watch(Ticket mine, List<Ticket> missing, List<Ticket> wanted) {
        missing.add(0, mine); // first: if mine was removed, that must be heard before another departure lets me in
        missing.removeIf(ticket -> !watches.placeTicket(ticket));
        Set<Ticket> kept = new HashSet<>(wanted);
        kept.add(mine);
        List<Registration> stale = watches.keepTickets(kept);
        TicketQueue target = queueNow();
        LiveSession from = sessionNow();
        return () -> {
            missing.forEach(ticket -> arm(from, target, ticket));
            stale.forEach(Registration::close);
        };
    }

    private void arm(LiveSession from, TicketQueue target, Ticket ticket) {
        Registration armed;
        try {
            armed = from.watched(name, ticket, Calls.watch(() -> target.onDeparture(List.of(ticket), this)));
        } catch (Throwable failed) {
            unarmed(target, failed, () -> watches.removeTicket(ticket));
            return;
        }
        step(() -> {
            if (state == State.QUEUED && queue == target && watches.armedTicket(ticket, armed)) {
                return NOTHING;
            }
            TicketGrant heir = queue == target && ticket.equals(mine()) ? entered : null;
            return heir == null ? armed::close : () -> heir.watchedBy(ticket, armed);
        });
    }

    /** The notice is watched first and read again afterwards, so that no change in between is missed. */
    private void armNotice(TicketQueue target) {
        Registration armed;
        try {
            armed = Calls.watch(() -> target.onNotice(() -> step(this::noticeChanged)));
        } catch (Throwable failed) {
            unarmed(target, failed, () -> watches.armedNotice(Registration.NONE));
            return;
        }
        step(() -> {
            if (state != State.QUEUED || queue != target) {
                return armed::close;
            }
            watches.armedNotice(armed);
            return noticeChanged();
        });
    }

    /** A watch could not be set: looks again after a pause and then sets it, unless the store refuses for good. */
    private void unarmed(TicketQueue target, Throwable failure, Runnable forget) {
        step(() -> {
            if (state != State.QUEUED || queue != target) {
                return NOTHING;
            }
            forget.run();
            return both(lookLater(), () -> endIfRefused(failure));
        });
    }

    /** Until the new notice has been read, a departure proves nothing: there may be fewer permits by now. */
    private Runnable noticeChanged() {
        if (state != State.QUEUED) {
            return NOTHING;
        }
        rule = null;
        sight.outdate();
        return sized && !sight.isInDoubt() && !sight.isAsking() ? lookAtNotice() : look();
    }

    /**
     * Reads the notice alone. If it does not let this waiter in, no more is needed, because nobody ever appears ahead
     * of my ticket. If it does, the waiter reads the queue, too.
     */
    private Runnable lookAtNotice() {
        int question = sight.ask();
        TicketQueue target = queueNow();
        return () -> readNotice(target).whenComplete((read, never) -> onNoticeSeen(question, read));
    }

    private void onNoticeSeen(int question, Optional<Notice> notice) {
        step(() -> {
            if (!sight.answer(question) || state != State.QUEUED) {
                return NOTHING; // asked for a place that has been given up
            }
            noticeIsNewer = !notice.equals(noticeThen);
            boolean recovered = hasAnswered(notice);
            boolean outdated = sight.isOutdated() || sight.isAskedAgain();
            return told(recovered, outdated ? look() : measureAndDecide(notice));
        });
    }

    private Runnable enter() {
        state = State.ENTERED;
        Place won = placeNow();
        TicketQueue target = queueNow();
        LiveSession from = sessionNow();
        Registration done = registered;
        TicketGrant grant = new TicketGrant(name, from, target, won, sight.hasOthersBehind(), description);
        entered = grant;
        Registration watch = watches.removeTicket(won.ticket()); // to close this watch would cost a request
        Runnable unwatch = unwatch();
        if (sight.ahead().isEmpty()) {
            from.becameForemost(name, won.ticket());
        }
        sight.close();
        return () -> {
            done.close();
            if (watch != null) {
                grant.watchedBy(won.ticket(), watch);
            }
            unwatch.run();
            listener.entered(grant);
        };
    }

    /** Gives the ticket back, and then does what follows. */
    private Runnable leaveAnd(Runnable then) {
        Ticket mine = mine();
        TicketQueue target = queueNow();
        LiveSession from = sessionNow();
        Runnable unwatch = unwatch();
        return () -> {
            from.leave(name, target, mine);
            unwatch.run();
            then.run();
        };
    }

    private Runnable unwatch() {
        List<Registration> all = watches.removeAll();
        return () -> all.forEach(Registration::close);
    }

    /**
     * Asks the store for the queue as it is now, one question at a time. When a ticket with several permits departs,
     * many waiters ask at once, because its holder may have kept some of the permits; the session joins their
     * questions.
     */
    private Runnable look() {
        if (sight.isAsking()) {
            sight.askAgain();
            return NOTHING;
        }
        int question = sight.ask();
        TicketQueue target = queueNow();
        LiveSession from = sessionNow();
        return () -> from.view(name, () -> view(target))
                .whenComplete((view, failure) -> onSeen(question, from, view, failure));
    }

    private CompletionStage<View> view(TicketQueue target) {
        CompletionStage<List<Ticket>> shown = Calls.stage(target::tickets);
        return shown.thenCombine(askForNotice(target), View::new);
    }

    private void onSeen(int question, LiveSession from, @Nullable View view, @Nullable Throwable failure) {
        step(() -> {
            if (!sight.answer(question) || state != State.QUEUED) {
                return NOTHING; // asked for a place that has been given up
            }
            if (view == null) {
                Throwable cause = Objects.requireNonNull(failure);
                return both(lookLater(), () -> {
                    failed(Calls.unwrap(cause));
                    keeperNow().lostIfSo(from, cause);
                    endIfRefused(cause);
                });
            }
            return both(seen(view), () -> noticeFailed(view.heard().failure()));
        });
    }

    private Runnable seen(View view) {
        List<Ticket> tickets = view.tickets();
        Optional<Notice> notice = view.heard().notice();
        boolean recovered = hasAnswered(notice);
        if (!tickets.contains(mine())) {
            return takeAgain();
        }
        boolean outdated = sight.isOutdated();
        if (outdated && !isLetInBy(tickets, notice)) {
            return told(recovered, look());
        }
        boolean again = sight.isAskedAgain();
        noticeThen = notice;
        noticeIsNewer = false;
        sight.seen(tickets, mine());
        Runnable decided = outdated ? enter() : measureAndDecide(notice);
        return told(recovered, again && state == State.QUEUED ? both(decided, look()) : decided);
    }

    /**
     * Whether nobody kept me out at the moment when the store answered. That is enough, whatever has happened since:
     * the notice was read after the queue, and nobody ever appears ahead of me. Without this rule nobody would get in
     * while others come and go all the time.
     */
    private boolean isLetInBy(List<Ticket> tickets, Optional<Notice> notice) {
        AdmissionRule then = want.size() == null ? want.rule() : sized ? ruleBy(notice, tickets) : null;
        return then != null
                && then.blockers(mine(), smaller(tickets)).isEmpty()
                && sessionNow().alive();
    }

    private @Nullable AdmissionRule ruleBy(Optional<Notice> notice, List<Ticket> tickets) {
        try {
            Size.Reading reading = Objects.requireNonNull(want.size())
                    .read(NoticeForm.parse(notice.map(Notice::text).orElse("")), mine().number(), smaller(tickets));
            boolean enough = reading.isKnown() && reading.correction() == null && reading.permits() >= want.permits();
            return enough ? AdmissionRule.permits(reading.permits()) : null;
        } catch (IllegalStateException | IllegalArgumentException mismatch) {
            return null; // the next look reports the mismatch
        }
    }

    private List<Ticket> smaller(List<Ticket> tickets) {
        return tickets.stream()
                .filter(ticket -> ticket.number() < mine().number())
                .toList();
    }

    /** Calls {@link #poke} after a pause, which grows while the store does not answer. */
    private Runnable lookLater() {
        int number = watches.placeTimer();
        if (number == 0) {
            return NOTHING;
        }
        Duration pause = LOOK_AGAIN.multipliedBy(1L << Math.min(failures++, MOST_DOUBLINGS));
        return () -> {
            Registration timer = time.schedule(pause, () -> pauseIsOver(number));
            step(() -> watches.armedTimer(number, timer) ? NOTHING : timer::close);
        };
    }

    private void pauseIsOver(int number) {
        step(() -> {
            watches.timerWentOff(number);
            return this::poke;
        });
    }

    /** My ticket is of no use any more: gives it back, and takes another one at the end of the queue. */
    private Runnable takeAgain() {
        return leaveAnd(anew());
    }

    @Override
    public void departed(Ticket ticket) {
        step(() -> {
            if (state == State.QUEUED && ticket.number() > mine().number()) {
                return NOTHING; // tickets behind mine do not block me, and there may be many
            }
            boolean othersGone = overlookBefore(ticket);
            boolean wasAhead = sight.departed(ticket, mayHaveHeir(ticket));
            if (state == State.QUEUED) {
                if (watches.removeTicket(ticket) != null) {
                    sessionNow().watchIsOver(name, ticket);
                }
                if (ticket.equals(mine())) {
                    return takeAgain();
                }
                if (wasAhead && (wanted.contains(ticket) || (othersGone && wantsBefore(ticket)))) {
                    return sight.isInDoubt() ? look() : decide(); // other departures do not change the blockers
                }
            } else if (entered != null && ticket.equals(mine())) {
                TicketGrant grant = entered;
                return () -> grant.departed(ticket);
            }
            return NOTHING;
        });
    }

    @Override
    public void changed() {
        step(() -> state == State.QUEUED ? look() : NOTHING);
    }

    /**
     * This client has replaced the notice. The loop drops its rule: it hears at once of tickets that this client
     * removes, and they must not let it in by the old number of permits. It reads the new notice when the store tells
     * of the change. Only if the replaced notice is not the one that it knows, it may have missed more, and asks at
     * once.
     */
    @Override
    public void noticeReplaced(Notice old) {
        step(() -> {
            if (want.size() == null) {
                return NOTHING;
            }
            replaced = Optional.of(old);
            if (!noticeOfRule.equals(replaced)) {
                return noticeChanged();
            }
            rule = null;
            return NOTHING;
        });
    }

    @Override
    public void poke() {
        step(() -> {
            if (state == State.NEW) {
                return this::start;
            }
            if (state != State.QUEUED) {
                return NOTHING;
            }
            if (!sessionNow().ended()) {
                return look();
            }
            return both(unwatch(), anew());
        });
    }

    /** Looks again once in a few heartbeats, in case something was missed. */
    @Override
    public void beat() {
        step(() -> state == State.QUEUED && ++beats % BEATS_PER_LOOK == 0 ? look() : NOTHING);
    }

    @Override
    public void fail(RuntimeException why) {
        step(() -> end(() -> listener.failed(why)));
    }

    @Override
    public void abandon() {
        step(() -> end(NOTHING));
    }

    private Runnable end(Runnable then) {
        return switch (state) {
            case NEW -> both(unwatch(), over(then));
            case TAKING -> both(() -> stragglers.abandoned(name), both(unwatch(), over(then)));
            case QUEUED -> leaveAnd(over(then));
            case ENTERED, OVER -> NOTHING;
        };
    }

    @Override
    public void describe(String text) {
        step(() -> {
            if (state != State.QUEUED) {
                return NOTHING;
            }
            Ticket mine = mine();
            TicketQueue target = queueNow();
            Description there = description;
            return () -> there.write(text, () -> target.describe(mine, text));
        });
    }

    /** Moves the state on under the lock, and does what follows from it after the lock has been released. */
    private void step(Supplier<Runnable> transition) {
        Runnable then;
        lock.lock();
        try {
            then = transition.get();
        } finally {
            lock.unlock();
        }
        then.run();
    }

    private static Runnable both(Runnable first, Runnable second) {
        if (second == NOTHING) {
            return first;
        }
        return () -> {
            first.run();
            second.run();
        };
    }

    private Ticket mine() {
        return placeNow().ticket();
    }

    private Place placeNow() {
        return Objects.requireNonNull(place);
    }

    private TicketQueue queueNow() {
        return Objects.requireNonNull(queue);
    }

    private SessionKeeper keeperNow() {
        return Objects.requireNonNull(keeper);
    }

    private LiveSession sessionNow() {
        return Objects.requireNonNull(session);
    }
}
