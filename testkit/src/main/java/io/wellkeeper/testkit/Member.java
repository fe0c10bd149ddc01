package io.wellkeeper.testkit;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.SessionListener;
import io.wellkeeper.spi.SessionLostException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** The server's side of a session. All fields are guarded by the server's lock. */
final class Member {

    final String id;
    final Duration timeout;
    final Link link;
    // the connection that opened the session, also after the server has gone back to an older state
    final Link beginner;
    final SessionListener listener;
    final Map<String, Slip> slips = new LinkedHashMap<>(); // the living tickets, by the ids of their requests
    long deadline;
    Registration alarm = Registration.NONE;
    boolean ended;

    Member(String id, Duration timeout, Link link, Link beginner, SessionListener listener) {
        this.id = id;
        this.timeout = timeout;
        this.link = link;
        this.beginner = beginner;
        this.listener = listener;
    }

    void checkLiving() {
        if (ended) {
            throw new SessionLostException("session " + id + " has ended");
        }
    }
}
