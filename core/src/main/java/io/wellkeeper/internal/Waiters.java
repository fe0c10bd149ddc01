package io.wellkeeper.internal;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Those of one client who wait for one lock, first come first served, and the attempts under way for them: one that they
 * share, and those of requests that have one of their own. Guarded by the gate's monitor.
 */
final class Waiters {

    private final Set<Request> requests = new LinkedHashSet<>();
    private @Nullable Attempt shared;

    void add(Request request) {
        requests.add(request);
    }

    void remove(Request request) {
        requests.remove(request);
    }

    boolean isEmpty() {
        return requests.isEmpty() && shared == null;
    }

    /** The first of those who share an attempt; null if there is nobody. */
    @Nullable
    Request firstSharing() {
        for (Request request : requests) {
            if (request.attempt() == null) {
                return request;
            }
        }
        return null;
    }

    /** Whether an attempt is needed that nobody makes yet. */
    boolean needAttempt() {
        return shared == null && firstSharing() != null;
    }

    void share(Attempt attempt) {
        shared = attempt;
    }

    /** The attempt that serves this request; null if there is none just now. */
    @Nullable
    Attempt serving(Request request) {
        return request.attempt() != null ? request.attempt() : shared;
    }

    /** This attempt has ended. */
    void ended(@Nullable Attempt attempt) {
        if (shared == attempt) {
            shared = null;
        }
    }

    /**
     * Takes a request out, and with it the attempt that serves nobody any more.
     *
     * @return the attempt to abandon, if any
     */
    @Nullable
    Attempt leave(Request request) {
        requests.remove(request);
        if (request.attempt() != null) {
            return request.attempt();
        }
        return firstSharing() == null ? unshare() : null;
    }

    private @Nullable Attempt unshare() {
        Attempt attempt = shared;
        shared = null;
        return attempt;
    }

    /** Those whom the end of an attempt concerns: the request it was made for, or all who share it. */
    List<Request> concernedBy(@Nullable Request bound) {
        List<Request> concerned = new ArrayList<>();
        for (Request request : requests) {
            if (bound == null ? request.attempt() == null : request == bound) {
                concerned.add(request);
            }
        }
        return concerned;
    }

    List<Attempt> attempts() {
        List<Attempt> all = new ArrayList<>();
        if (shared != null) {
            all.add(shared);
        }
        for (Request request : requests) {
            if (request.attempt() != null) {
                all.add(request.attempt());
            }
        }
        return all;
    }

    /** Everybody out. */
    List<Request> clear() {
        List<Request> all = List.copyOf(requests);
        requests.clear();
        shared = null;
        return all;
    }
}
