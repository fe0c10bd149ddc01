package io.wellkeeper.jdbc;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out whether messages to a session arrive: it is sent one, each time it begins to listen. A pooler that gives each
 * transaction another connection swallows them. As long as none is heard, what they would say is looked for, and that is
 * announced.
 */
final class Polling {

    static final Duration INTERVAL = Duration.ofMillis(50);

    private static final Logger LOG = LoggerFactory.getLogger(Polling.class);
    private static final Duration PATIENCE = Duration.ofSeconds(2);
    private static final Duration PROBE_AGAIN = Duration.ofSeconds(30);

    private final SqlSession session;
    private final String warning;
    private final AtomicLong heard = new AtomicLong();
    private volatile boolean on; // written by one probe at a time, nearly: two rounds do no harm

    Polling(SqlSession session, String address) {
        this.session = session;
        this.warning = "messages from " + address + " do not arrive, so every client looks for news each "
                + INTERVAL.toMillis()
                + " ms; connect past a pooler that gives each transaction another connection";
    }

    boolean isOn() {
        return on;
    }

    String warning() {
        return warning;
    }

    /** Asks for a message: the session has begun to listen, or some time has passed. */
    void probe() {
        if (!session.ended()) {
            long before = heard.get();
            session.run(Step.HEAR, Map.of("ticket", "probe"))
                    .whenComplete((sent, failure) ->
                            SqlSession.later(PATIENCE, () -> judge(failure != null || heard.get() > before)));
        }
    }

    private void judge(boolean arrives) {
        if (arrives) {
            on = false;
        } else {
            begin();
            SqlSession.later(PROBE_AGAIN, this::probe);
        }
    }

    private void begin() {
        if (on || session.ended()) {
            return;
        }
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
