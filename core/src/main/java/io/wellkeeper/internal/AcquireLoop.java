package io.wellkeeper.internal;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.DepartureWatcher;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.SessionLostException;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketRequest;
import io.wellkeeper.spi.Time;
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
import java.util.concurrent.locks.ReentrantLock;
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
 * <p>Two things are asked of some only. Where the number of permits stands in the queue's notice, that is read with the
 * tickets and watched with them. And a reader beside an upgradeable ticket looks at the whole queue before it enters: an
 * upgrade that stands behind it may not count on it ({@link AdmissionRule#upgrade}), so it goes to the end.
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
 * <p>Living tickets of this client's own are not watched: it knows of their departure when it gives them back, and nobody
 * else can get in between two of its own. But a ticket that waits behind somebody is watched itself.
 */
final class AcquireLoop implements Attempt, DepartureWatcher {

    private enum State {
        NEW,
        TAKING,
        QUEUED,
        ENTERED,
        OVER
    }

    private static final Duration LOOK_AGAIN = Duration.ofMillis(100);
    private static final int BEATS_PER_LOOK = 8;
    private static final int QUICK_CORRECTIONS = 8;
    private static final Runnable NOTHING = () -> {};
    private static final CompletionStage<Optional<Notice>> NOT_ASKED =
            CompletableFuture.completedFuture(Optional.empty());

    private final String name;
    private final Want want;
    private final boolean mayWait;
    private final Supplier<String> metadata;
    private final SessionKeeper keeper;
    private final Time time;
    private final Function<Waiting, Registration> registry;
    private final Attempt.Listener listener;

    private final ReentrantLock lock = new ReentrantLock(); // guards all below
    private State state = State.NEW;
    private @Nullable LiveSession session;
    private @Nullable TicketQueue queue;
    private @Nullable Place place;
    private List<Ticket> ahead =
            List.of(); // no living ticket ahead of mine is missing; some of these may have departed
    private @Nullable AdmissionRule rule; // null while there are fewer permits than I want, or nobody knows
    private boolean sized; // whether it is known how many there are
    private final Map<Ticket, Registration> watched = new HashMap<>();
    private Registration noticeWatch = Registration.NONE;
    private Registration registered = Registration.NONE;
    private boolean looking;
    private boolean outdated; // the question under way was put too early
    private int looks; // numbers the questions
    private String description = ""; // what stands on the ticket
    private int beats;
    private int corrections;
    private boolean lookAgain;
    private boolean othersBehind; // when it was last looked
    private boolean upgradeBehind; // likewise
    private final Set<Ticket> departedMeanwhile = new HashSet<>(); // since the last question was put to the store
    private boolean waiting;
    private @Nullable TicketGrant entered;
    private volatile boolean answered;

    AcquireLoop(
            String name,
            Want want,
            boolean mayWait,
            Supplier<String> metadata,
            SessionKeeper keeper,
            Time time,
            Function<Waiting, Registration> registry,
            Attempt.Listener listener) {
        this.name = name;
        this.want = want;
        this.mayWait = mayWait;
        this.metadata = metadata;
        this.keeper = keeper;
        this.time = time;
        this.registry = registry;
        this.listener = listener;
    }

    @Override
    public boolean answered() {
        return answered;
    }

    /** Takes a number as soon as there is a session; without one, {@link #poke} starts it later. */
    @Override
    public void start() {
        LiveSession current = keeper.session();
        String text = metadata.get();
        TicketQueue target;
        lock.lock();
        try {
            if (state != State.NEW) {
                return;
            }
            if (registered == Registration.NONE) {
                registered = registry.apply(this);
                current = keeper.session(); // if it came before, nobody will tell
            }
            if (current == null || current.ended()) {
                return;
            }
            state = State.TAKING;
            session = current;
            target = current.queue(name);
            queue = target;
            othersBehind = false;
            outdated = false;
            departedMeanwhile.clear();
            description = text;
            rule = want.size() == null ? want.rule() : null;
            sized = want.size() == null;
        } finally {
            lock.unlock();
        }
        LiveSession from = current;
        CompletionStage<Place> take =
                Calls.stage(() -> target.take(new TicketRequest(Calls.requestId(), want.mode(), want.permits(), text)));
        CompletionStage<Optional<Notice>> notice = readNotice(target);
        take.whenComplete(
                (taken, failure) -> notice.whenComplete((read, never) -> onTaken(from, target, taken, read, failure)));
    }

    /** What the notice says; empty if nobody asks for it, or it cannot be read now. Never fails. */
    private CompletionStage<Optional<Notice>> readNotice(TicketQueue target) {
        return want.size() == null
                ? NOT_ASKED
                : Calls.stage(target::notice).handle((notice, failure) -> Optional.ofNullable(notice));
    }

    private void onTaken(
            LiveSession from,
            TicketQueue target,
            @Nullable Place taken,
            Optional<Notice> notice,
            @Nullable Throwable failure) {
        step(() -> {
            if (taken == null) {
                return onTakeFailed(from, failure);
            }
            answered = true;
            from.taken(name, taken.ticket());
            if (state == State.OVER) {
                return () -> from.giveBack(name, target, taken.ticket());
            }
            if (from.ended()) {
                return anew();
            }
            state = State.QUEUED;
            place = taken;
            ahead = new ArrayList<>(want.rule().concern(taken.ahead()));
            ahead.removeAll(departedMeanwhile);
            return outdated ? look() : measureAndDecide(notice, Sight.PLACE);
        });
    }

    private Runnable onTakeFailed(LiveSession from, @Nullable Throwable failure) {
        if (state == State.OVER) {
            return NOTHING;
        }
        Throwable cause = Calls.unwrap(failure == null ? new IllegalStateException("no reply") : failure);
        if (from.ended() || cause instanceof SessionLostException) {
            Runnable again = anew();
            return () -> {
                keeper.lostIfSo(from, cause);
                again.run();
            };
        }
        return over(() -> listener.failed(keeper.translate(cause)));
    }

    /** Begins again, in whatever session there will be; or is refused, if the ticket was wanted only once. */
    private Runnable anew() {
        looking = false;
        if (want.once()) {
            return over(listener::refused);
        }
        state = State.NEW;
        return this::start;
    }

    private Runnable over(Runnable then) {
        state = State.OVER;
        Registration done = registered;
        return () -> {
            done.close();
            then.run();
        };
    }

    /** Learns how many permits there are, and sees to it that the notice says so; then decides. */
    private Runnable measureAndDecide(Optional<Notice> notice, Sight sight) {
        Size size = want.size();
        if (size == null) {
            return decide(sight);
        }
        if (notice.isEmpty()) {
            return () -> time.schedule(LOOK_AGAIN, this::poke);
        }
        Size.Reading reading;
        try {
            reading = size.read(NoticeForm.parse(notice.get().text()), ahead.size());
        } catch (IllegalStateException | IllegalArgumentException mismatch) {
            return leaveAnd(over(() -> listener.failed(mismatch)));
        }
        NoticeForm correction = reading.correction();
        sized = correction == null;
        rule = sized && reading.permits() >= want.permits() ? AdmissionRule.permits(reading.permits()) : null;
        if (correction == null) {
            return decide(sight);
        }
        TicketQueue target = queueNow();
        boolean patient = ++corrections > QUICK_CORRECTIONS; // somebody else is at it too, or the store refuses
        Runnable look = patient ? () -> time.schedule(LOOK_AGAIN, this::poke) : look();
        return () -> {
            Calls.stage(() -> target.post(notice.get(), correction.format()));
            look.run(); // shows whether it was put up, by whomever
        };
    }

    /** What is known of those ahead, from the weakest to the strongest. */
    private enum Sight {
        /** The last look, and who has departed since. */
        PROOF,
        /** What was seen when the number was drawn. */
        PLACE,
        /** The whole queue. */
        QUEUE
    }

    /** Enters, gives up, or sees to it that what blocks is watched. */
    private Runnable decide(Sight sight) {
        Ticket mine = mine();
        LiveSession from = sessionNow();
        AdmissionRule known = rule;
        List<Ticket> wanted = known == null ? List.of() : known.worthWatching(mine, ahead);
        if (known != null && wanted.isEmpty()) {
            if (!from.alive()) {
                return NOTHING; // if it comes to life again, poke() looks once more
            }
            return isReaderBesideUpgradeable() ? enterUnlessUpgrade(sight) : enter();
        }
        if (!mayWait) {
            return sized ? leaveAnd(over(listener::refused)) : NOTHING;
        }
        boolean firstWait = !waiting;
        waiting = true;
        Runnable announce = firstWait ? listener::waiting : NOTHING;
        if (want.size() != null && noticeWatch == Registration.NONE) {
            return watchNotice(announce);
        }
        List<Ticket> missing = new ArrayList<>();
        for (Ticket ticket : wanted) {
            if (!watched.containsKey(ticket) && !from.isOwnAndLiving(name, ticket)) {
                missing.add(ticket);
            }
        }
        if (known == null && !watched.containsKey(mine)) {
            missing.add(mine);
        }
        if (missing.isEmpty()) {
            return announce;
        }
        if (sight == Sight.PROOF) {
            return looking ? announce : look(); // the answer under way is as good: it is read without the departed
        }
        TicketQueue target = queueNow();
        List<Runnable> actions = new ArrayList<>();
        missing.add(0, mine); // first: if somebody has removed it, that is to be heard before it lets me in
        for (Ticket ticket : missing) {
            if (watched.putIfAbsent(ticket, Registration.NONE) == null) {
                actions.add(() -> arm(target, ticket));
            }
        }
        List<Registration> stale = new ArrayList<>();
        watched.entrySet().removeIf(entry -> {
            boolean unwanted =
                    !wanted.contains(entry.getKey()) && !entry.getKey().equals(mine);
            if (unwanted) {
                stale.add(entry.getValue());
            }
            return unwanted;
        });
        return () -> {
            actions.forEach(Runnable::run);
            stale.forEach(Registration::close);
            announce.run();
        };
    }

    private boolean isReaderBesideUpgradeable() {
        return want.mode() == Mode.SHARED && ahead.stream().anyMatch(ticket -> ticket.mode() == Mode.UPGRADEABLE);
    }

    private Runnable enterUnlessUpgrade(Sight sight) {
        if (sight != Sight.QUEUE) {
            return look();
        }
        return upgradeBehind ? takeAgain() : enter();
    }

    /** Watched first and read again afterwards, so that no change in between is missed. */
    private Runnable watchNotice(Runnable announce) {
        TicketQueue target = queueNow();
        noticeWatch = () -> {}; // until it is there
        return () -> {
            Registration armed = target.onNotice(this::noticeChanged);
            boolean keep;
            lock.lock();
            try {
                keep = state == State.QUEUED && queue == target;
                if (keep) {
                    noticeWatch = armed;
                }
            } finally {
                lock.unlock();
            }
            if (keep) {
                noticeChanged();
            } else {
                armed.close();
            }
            announce.run();
        };
    }

    /** Until it has been read, a departure proves nothing: there may be fewer permits by now. */
    private void noticeChanged() {
        step(() -> {
            if (state != State.QUEUED) {
                return NOTHING;
            }
            rule = null;
            outdated |= looking;
            return look();
        });
    }

    /** Watches one ticket; the map has its place already. */
    private void arm(TicketQueue target, Ticket ticket) {
        Registration armed = target.onDeparture(List.of(ticket), this);
        boolean keep;
        TicketGrant heir = null;
        lock.lock();
        try {
            keep = state == State.QUEUED && queue == target && watched.replace(ticket, Registration.NONE, armed);
            if (state == State.ENTERED && queue == target && ticket.equals(mine())) {
                heir = entered;
            }
        } finally {
            lock.unlock();
        }
        if (heir != null) {
            heir.watchedBy(armed);
        } else if (!keep) {
            armed.close();
        }
    }

    private Runnable enter() {
        state = State.ENTERED;
        Place won = placeNow();
        TicketQueue target = queueNow();
        LiveSession from = sessionNow();
        Registration done = registered;
        TicketGrant grant = new TicketGrant(name, from, target, won, othersBehind, description);
        entered = grant;
        Registration watch = watched.remove(won.ticket()); // to take it back would cost a request
        if (watch != null) {
            grant.watchedBy(watch);
        }
        Runnable unwatch = unwatch();
        return () -> {
            done.close();
            unwatch.run();
            listener.entered(grant);
        };
    }

    /** Gives the ticket back, and then says so. */
    private Runnable leaveAnd(Runnable then) {
        Ticket mine = mine();
        TicketQueue target = queueNow();
        LiveSession from = sessionNow();
        Runnable unwatch = unwatch();
        return () -> {
            from.giveBack(name, target, mine);
            unwatch.run();
            then.run();
        };
    }

    private Runnable unwatch() {
        List<Registration> all = new ArrayList<>(watched.values());
        all.add(noticeWatch);
        watched.clear();
        noticeWatch = Registration.NONE;
        return () -> all.forEach(Registration::close);
    }

    /** Asks the store for the queue as it is now; one question at a time. */
    private Runnable look() {
        if (looking) {
            lookAgain = true;
            return NOTHING;
        }
        looking = true;
        lookAgain = false;
        outdated = false;
        departedMeanwhile.clear();
        int question = ++looks;
        TicketQueue target = queueNow();
        LiveSession from = sessionNow();
        return () -> {
            CompletionStage<List<Ticket>> shown = Calls.stage(target::tickets);
            CompletionStage<Optional<Notice>> notice = readNotice(target);
            shown.whenComplete((tickets, failure) ->
                    notice.whenComplete((read, never) -> onSeen(question, from, tickets, read, failure)));
        };
    }

    private void onSeen(
            int question,
            LiveSession from,
            @Nullable List<Ticket> tickets,
            Optional<Notice> notice,
            @Nullable Throwable failure) {
        step(() -> {
            if (!looking || question != looks) {
                return NOTHING; // asked for a place that has been given up
            }
            looking = false;
            if (state != State.QUEUED) {
                return NOTHING;
            }
            if (tickets == null) {
                return () -> {
                    keeper.lostIfSo(from, Objects.requireNonNull(failure));
                    time.schedule(LOOK_AGAIN, this::poke);
                };
            }
            if (!tickets.contains(mine())) {
                return takeAgain();
            }
            if (outdated) {
                return look();
            }
            see(tickets, from);
            Runnable decided = measureAndDecide(notice, Sight.QUEUE);
            Runnable again = lookAgain && state == State.QUEUED ? look() : NOTHING;
            return () -> {
                decided.run();
                again.run();
            };
        });
    }

    private void see(List<Ticket> tickets, LiveSession from) {
        List<Ticket> before = ahead;
        ahead = new ArrayList<>();
        othersBehind = false;
        upgradeBehind = false;
        for (Ticket ticket : tickets) {
            if (ticket.compareTo(mine()) > 0) {
                othersBehind |= !ticket.session().equals(from.id());
                upgradeBehind |= ticket.mode() == Mode.UPGRADE;
            } else if (!ticket.equals(mine()) && !departedMeanwhile.contains(ticket)) {
                ahead.add(ticket);
            }
        }
        if (want.mode() == Mode.UPGRADE) {
            ahead.retainAll(before); // who matters was judged when the number was drawn
        }
    }

    /** My ticket is of no use any more: to the end of the queue. */
    private Runnable takeAgain() {
        return leaveAnd(anew());
    }

    @Override
    public void departed(Ticket ticket) {
        step(() -> {
            if (state == State.TAKING || looking) {
                departedMeanwhile.add(ticket);
                outdated |= ticket.isReplaceable() || (looking && want.mode() == Mode.SHARED);
            }
            if (state == State.QUEUED) {
                watched.remove(ticket);
                if (ticket.equals(mine())) {
                    return takeAgain();
                }
                if (ahead.remove(ticket)) {
                    return ticket.isReplaceable() ? look() : decide(Sight.PROOF);
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
            Runnable unwatch = unwatch();
            Runnable again = anew();
            return () -> {
                unwatch.run();
                again.run();
            };
        });
    }

    /** Now and then it looks again, for whatever may have been missed. */
    @Override
    public void beat() {
        step(() -> state == State.QUEUED && ++beats % BEATS_PER_LOOK == 0 ? look() : NOTHING);
    }

    @Override
    public void closed(RuntimeException why) {
        step(() -> end(() -> listener.failed(why)));
    }

    @Override
    public void abandon() {
        step(() -> end(NOTHING));
    }

    private Runnable end(Runnable then) {
        return switch (state) {
            case NEW, TAKING -> over(then);
            case QUEUED -> leaveAnd(over(then));
            case ENTERED, OVER -> NOTHING;
        };
    }

    @Override
    public void describe(String text) {
        Ticket mine;
        TicketQueue target;
        lock.lock();
        try {
            if (state != State.QUEUED || text.equals(description)) {
                return;
            }
            description = text;
            mine = mine();
            target = queueNow();
        } finally {
            lock.unlock();
        }
        Calls.stage(() -> target.describe(mine, text));
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

    private Ticket mine() {
        return placeNow().ticket();
    }

    private Place placeNow() {
        return Objects.requireNonNull(place);
    }

    private TicketQueue queueNow() {
        return Objects.requireNonNull(queue);
    }

    private LiveSession sessionNow() {
        return Objects.requireNonNull(session);
    }
}
