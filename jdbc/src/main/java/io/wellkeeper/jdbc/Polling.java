package io.wellkeeper.jdbc;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out whether messages to a session arrive: it is sent one, each time it begins to listen. A pooler that gives each
 * transaction another connection swallows them. As long as none is heard, what they would say is looked for, and that is
 * announced. So it is for a session that is not to listen, because enough others do, and for all while the server has little room
 * for messages.
 */
final class Polling {

    static final Duration INTERVAL = Duration.ofMillis(50);

    private static final Logger LOG = LoggerFactory.getLogger(Polling.class);
    private static final Duration PATIENCE = Duration.ofSeconds(2);
    private static final Duration PROBE_AGAIN = Duration.ofSeconds(30);
    private static final double HALF = 0.5;
    private static final int PERCENT = 100;

    private final SqlSession session;
    private final String address;
    private final AtomicLong heard = new AtomicLong();
    private volatile String warning = "";
    private volatile boolean oneTooMany; // to listen
    private volatile boolean full; // there may soon be no room for a message
    private volatile boolean on; // written by one probe at a time, nearly: two rounds do no harm

    Polling(SqlSession session, String address) {
        this.session = session;
        this.address = address;
    }

    boolean isOn() {
        return on;
    }

    String warning() {
        return warning;
    }

    /** Asks for a message: the session has begun to listen, or some time has passed. */
    void probe() {
        if (!oneTooMany && !session.ended()) {
            long before = heard.get();
            session.run(Step.HEAR, Map.of("ticket", "probe"))
                    .whenComplete((sent, failure) ->
                            SqlSession.later(PATIENCE, () -> judge(failure != null || heard.get() > before)));
        }
    }

    private void judge(boolean arrives) {
        if (oneTooMany) {
            return;
        }
        if (arrives && !full) {
            on = false;
            return;
        }
        if (!arrives) {
            begin("messages from " + address + " do not arrive, so every client looks for news each "
                    + INTERVAL.toMillis()
                    + " ms; connect past a pooler that gives each transaction another connection");
        }
        SqlSession.later(PROBE_AGAIN, this::probe);
    }

    /**
     * How full the server's queue of messages is. Long before there is no room in it, all look for news.
     *
     * @param part 1 if there is no room
     */
    void queueIsFull(double part) {
        boolean was = full;
        full = part >= HALF;
        if (full && !was && !oneTooMany) {
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
     * @param listeners how many may
     */
    void beOneTooMany(long listeners) {
        oneTooMany = true;
        begin("no more than " + listeners + " clients may listen to messages from " + address
                + ", for each makes all messages dearer, so this one looks for news each " + INTERVAL.toMillis()
                + " ms; the store's 'listeners' says how many may");
    }

    private void begin(String why) {
        if (on || session.ended()) {
            return;
        }
        warning = why;
        on = true;
        LOG.warn(warning);
        session.reconnected();
        round();
    }

    private void round() {
        if (on && !session.ended()) {
            session.lookForNews().whenComplete((seen, failure) -> SqlSession.later(INTERVAL, this::round));
        }
    }

    /** A message has come. */
    void heard() {
        heard.incrementAndGet();
    }
}
