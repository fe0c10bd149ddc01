package io.wellkeeper.internal;

import io.wellkeeper.Registration;
import io.wellkeeper.RevocationListener;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.TicketQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * A request to holders to give up what they hold, as it stands in the notice of a queue, under its number. It stays
 * there as long as somebody holds what it asks for, so that a holder that reads late still finds it. If there are more
 * requests than fit, the oldest are removed.
 *
 * @param id names this request
 * @param numbers the numbers of the tickets of the holders that are asked
 * @param who the client that asks
 * @param reason in its own words
 */
record Revocation(String id, String numbers, String who, String reason) {

    private static final String PREFIX = "revoke.";
    private static final int MOST_AT_ONCE = 16;
    private static final Duration READ_AGAIN = Duration.ofMillis(100);
    private static final Duration LAST_PAUSE = Duration.ofMillis(1_600);

    static Revocation of(String numbers, String who, String reason) {
        return new Revocation(UUID.randomUUID().toString(), numbers, who, reason);
    }

    /**
     * Puts this request into a notice behind the others, where there is always room for it, and removes requests that
     * concern no ticket any more. To make room, notes of broken locks are removed first, and then older requests.
     *
     * @param mayLive whether there may still be a ticket with one of these numbers
     */
    NoticeForm pinTo(NoticeForm notice, Predicate<String> mayLive) {
        NoticeForm result = notice;
        for (String key : notice.keys(PREFIX)) {
            Revocation old = parse(notice.get(key).orElse(""));
            if (!mayLive.test(old.numbers)) {
                result = result.without(key);
            }
        }
        NoticeForm mine = NoticeForm.EMPTY
                .with("id", id)
                .with("numbers", numbers)
                .with("who", who)
                .with("reason", reason);
        NoticeForm roomy = Breaking.makeRoom(result.with(result.keyBehind(PREFIX), mine.format()), 1);
        return Breaking.makeRoom(makeRoom(roomy, 1), 0);
    }

    /** Removes the oldest requests if there are more than fit, but leaves so many of the newest. */
    static NoticeForm makeRoom(NoticeForm notice, int left) {
        return notice.withLastOf(PREFIX, MOST_AT_ONCE, left);
    }

    static List<Revocation> all(NoticeForm notice) {
        List<Revocation> all = new ArrayList<>();
        for (String key : notice.keys(PREFIX)) {
            all.add(parse(notice.get(key).orElse("")));
        }
        return all;
    }

    private static Revocation parse(String text) {
        NoticeForm form = NoticeForm.parse(text);
        return new Revocation(
                form.get("id").orElse(""),
                form.get("numbers").orElse(""),
                form.get("who").orElse(""),
                form.get("reason").orElse(""));
    }

    /**
     * Tells a listener of every request that concerns a ticket.
     *
     * @param mine the ticket's number
     * @param past whether earlier requests count, too
     * @param callBack runs the listener
     */
    static Registration listen(
            LiveSession session,
            TicketQueue queue,
            long mine,
            RevocationListener listener,
            boolean past,
            Consumer<Runnable> callBack) {
        Listening listening = new Listening(session, queue, mine, listener, callBack);
        listening.read(past);
        return listening::end;
    }

    private static final class Listening {

        private final LiveSession session;
        private final TicketQueue queue;
        private final long mine;
        private final RevocationListener listener;
        private final Consumer<Runnable> callBack;
        private final Set<String> known = ConcurrentHashMap.newKeySet();
        private final Pauses pauses = new Pauses(READ_AGAIN, LAST_PAUSE); // used only while a read is under way
        private final Monitor lock = new Monitor(); // guards the next five
        private Registration watch = Registration.NONE;
        private boolean watched;
        private boolean reading; // a question or a pause is under way
        private boolean again; // something has changed since the question was put
        private boolean tellAgain; // the requests that the next answer shows are to be told
        private volatile Registration alarm = Registration.NONE;
        private volatile boolean over;

        Listening(
                LiveSession session,
                TicketQueue queue,
                long mine,
                RevocationListener listener,
                Consumer<Runnable> callBack) {
            this.session = session;
            this.queue = queue;
            this.mine = mine;
            this.listener = listener;
            this.callBack = callBack;
        }

        void end() {
            over = true;
            alarm.close();
            Registration armed;
            lock.lock();
            try {
                armed = watch;
                watch = Registration.NONE;
            } finally {
                lock.unlock();
            }
            armed.close();
        }

        /** Arms the watch. If the notice cannot be watched now, the next read tries again. */
        private void arm() {
            if (isWatched()) {
                return;
            }
            Registration armed = Calls.watch(() -> queue.onNotice(() -> read(true)));
            boolean unwanted;
            lock.lock();
            try {
                watched = true;
                unwanted = over;
                watch = unwanted ? Registration.NONE : armed;
            } finally {
                lock.unlock();
            }
            if (unwanted) {
                armed.close();
            }
        }

        private boolean isWatched() {
            lock.lock();
            try {
                return watched;
            } finally {
                lock.unlock();
            }
        }

        /**
         * Reads the notice, and repeats this until it succeeds, because the store does not report the same change
         * again. There is one question at a time. If the store refuses for good, the next change is read.
         */
        void read(boolean tell) {
            lock.lock();
            try {
                if (reading) {
                    again = true;
                    tellAgain |= tell;
                    return;
                }
                reading = true;
            } finally {
                lock.unlock();
            }
            ask(tell);
        }

        private void ask(boolean tell) {
            if (over || session.ended()) {
                return;
            }
            CompletionStage<Notice> read = Calls.stage(() -> tell ? armAndRead() : readAndArm());
            read.whenComplete((notice, failure) -> {
                if (notice != null) {
                    pauses.reset();
                    heard(NoticeForm.parse(notice.text()), tell);
                    if (tell) {
                        readOn();
                    } else {
                        ask(true); // to tell what has come between this answer and the watch
                    }
                } else if (Calls.isRefusal(failure) && isWatched()) {
                    readOn();
                } else {
                    Duration pause = pauses.next(session.time().nanoTime());
                    alarm = session.time().schedule(pause, () -> askAgain(tell));
                    if (over) {
                        alarm.close();
                    }
                }
            });
        }

        private CompletionStage<Notice> armAndRead() {
            arm();
            return queue.notice();
        }

        /** Reads before the watch is armed: all requests that the answer shows are older than the watch. */
        private CompletionStage<Notice> readAndArm() {
            CompletionStage<Notice> past = queue.notice();
            arm();
            return past;
        }

        /**
         * Asks again after a failure. The next answer also shows what has changed since the failed question was put.
         */
        private void askAgain(boolean tell) {
            boolean tellNow;
            lock.lock();
            try {
                tellNow = tell || tellAgain;
                again = false;
                tellAgain = false;
            } finally {
                lock.unlock();
            }
            ask(tellNow);
        }

        /** Reads once more if something has changed since the last question was put. */
        private void readOn() {
            boolean tell;
            lock.lock();
            try {
                reading = again;
                if (!again) {
                    return;
                }
                tell = tellAgain;
                again = false;
                tellAgain = false;
            } finally {
                lock.unlock();
            }
            ask(tell);
        }

        private void heard(NoticeForm notice, boolean tell) {
            for (Revocation request : all(notice)) {
                if (TicketNumbers.contains(request.numbers, mine) && known.add(request.id) && tell) {
                    callBack.accept(() -> {
                        if (!over) {
                            listener.onRevocationRequested(request.who, request.reason);
                        }
                    });
                }
            }
        }
    }
}
