package io.wellkeeper.testkit;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.SessionListener;
import io.wellkeeper.spi.SessionLostException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** A session, as the server knows it. All of it is guarded by the server's lock. */
final class Member {

    final String id;
    final Duration timeout;
    final Link link;
    final Link beginner; // whose session it was, also after an older state has come back
    final SessionListener listener;
    final Map<String, Slip> slips = new LinkedHashMap<>(); // living, by the id of their request
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
