package io.wellkeeper.jdbc;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out whether messages to a session arrive: the session sends itself one each time one of its connections is lost
 * or made. A pooler that gives each transaction another connection swallows the messages, and a session that is left
 * listening to another server hears none. As long as no message arrives, the session looks for the news that messages
 * would tell, and a warning says so. A session that is not to listen, because enough others do, looks for news too, and
 * so do all while the server has little room for messages.
 */
final class Polling {

    static final Duration INTERVAL = Duration.ofMillis(50);

    private static final Logger LOG = LoggerFactory.getLogger(Polling.class);
    private static final Duration PATIENCE = Duration.ofSeconds(2);
    private static final Duration PROBE_AGAIN = Duration.ofSeconds(30);
    private static final int SURE = 3; // messages in a row: behind a pooler one may come by chance
    private static final double MUCH = 0.5; // of the room for messages
    private static final int PERCENT = 100;

    private final Listener listener;
    private final String address;
    private final AtomicLong heard = new AtomicLong();
    private final AtomicInteger probes = new AtomicInteger(); // only the result of the last one counts
    private volatile String warning = "";
    private volatile boolean oneTooMany; // enough others listen
    private volatile double used; // part of the server's room for messages
    private volatile int inARow; // probes whose message came; written by one probe at a time
    private volatile boolean on; // nearly always written by one probe at a time
    private final AtomicInteger begun = new AtomicInteger(); // how often looking for news has begun

    /** The session that is to hear. */
    interface Listener {

        boolean ended();

        /** Has the server send it a message. */
        CompletableFuture<?> askForMessage();

        /** Messages may have been missed: looks at everything. */
        void reconnected();

        /** Listens on another connection, and probes then. */
        void listenAgain();

        /** Looks for everything that messages would say; complete when it is known. */
        CompletableFuture<?> lookForNews();

        void later(Duration delay, Runnable task);
    }

    Polling(Listener listener, String address) {
        this.listener = listener;
        this.address = address;
    }

    boolean isOn() {
        return on;
    }

    String warning() {
        return warning;
    }

    /** Asks for a message: a connection of the session's was lost or made, or some time has passed. */
    void probe() {
        if (!oneTooMany && !listener.ended()) {
            int probe = probes.incrementAndGet();
            long before = heard.get();
            listener.askForMessage().whenComplete((sent, failure) -> {
                if (failure == null) {
                    listener.later(PATIENCE, () -> unlessProbedSince(probe, () -> judge(probe, heard.get() > before)));
                } else {
                    inARow = 0;
                    probeAgain(probe, on ? PROBE_AGAIN : PATIENCE); // soon, if nothing else would bring the news
                }
            });
        }
    }

    private void unlessProbedSince(int probe, Runnable task) {
        if (probe == probes.get()) {
            task.run();
        }
    }

    private void judge(int probe, boolean arrives) {
        if (oneTooMany) {
            return;
        }
        if (arrives && used < MUCH) {
            if (on) {
                becomeSure(probe);
            }
            return;
        }
        inARow = 0;
        boolean isNews = !arrives && !on;
        if (!arrives) {
            begin("messages from " + address + " do not arrive, so every client looks for news each "
                    + INTERVAL.toMillis()
                    + " ms; connect past a pooler that gives each transaction another connection");
        }
        if (isNews) { // it may listen to another server than the one that gets the requests
            listener.listenAgain();
        }
        probeAgain(probe, PROBE_AGAIN);
    }

    /**
     * Goes on looking for news until several probes in a row have brought their message; then probes again some time
     * later.
     */
    private void becomeSure(int probe) {
        inARow++;
        if (inARow < SURE) {
            probe();
        } else {
            inARow = 0;
            on = false;
            probeAgain(probe, PROBE_AGAIN);
        }
    }

    private void probeAgain(int last, Duration delay) {
        listener.later(delay, () -> unlessProbedSince(last, this::probe));
    }

    /**
     * Tells how much of the server's room for messages is used. Long before none is left, all sessions look for news.
     *
     * @param part 1 if no room is left
     */
    void used(double part) {
        used = part;
        if (part >= MUCH && !on) {
            begin("the queue of notifications of " + address + " is " + (int) (part * PERCENT)
                    + " % full, so every client looks for news each " + INTERVAL.toMillis()
                    + " ms; end the transaction of the connection that listens and does not read"
                    + " (pg_stat_activity shows it as 'idle in transaction')");
            probe();
        }
    }

    /**
     * This session does not listen.
     *
     * @param listeners how many sessions may listen
     */
    void beOneTooMany(long listeners) {
        oneTooMany = true;
        begin("no more than " + listeners + " clients may listen to messages from " + address
                + ", for each makes all messages dearer, so this one looks for news each " + INTERVAL.toMillis()
                + " ms; the store's 'listeners' says how many may");
    }

    private void begin(String why) {
        if (on || listener.ended()) {
            return;
        }
        warning = why;
        on = true;
        LOG.warn(warning);
        listener.reconnected();
        round(begun.incrementAndGet());
    }

    /**
     * Looks for news, again and again until that ends or begins anew. If a look takes longer than the interval, the
     * pause after it is as long, so that other requests have as much time.
     */
    private void round(int number) {
        if (on && number == begun.get() && !listener.ended()) {
            long begin = System.nanoTime();
            listener.lookForNews().whenComplete((seen, failure) -> {
                Duration taken = Duration.ofNanos(System.nanoTime() - begin);
                listener.later(taken.compareTo(INTERVAL) > 0 ? taken : INTERVAL, () -> round(number));
            });
        }
    }

    /** A message has come. */
    void heard() {
        heard.incrementAndGet();
    }
}
