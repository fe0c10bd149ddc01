package io.wellkeeper;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * One candidate for leadership: of all candidates of a name, in all processes, at most one leads at a time. When the
 * leader resigns, dies or is cut off, the next in the queue leads.
 *
 * <p><b>Where it differs from Curator's {@code LeaderLatch}.</b> A listener that was told of the beginning of a
 * leadership is always told of its end: {@link Listener#deposed} is also called when the candidate itself has resigned
 * or is closed, whereas {@code LeaderLatch.close()} tells its listeners nothing unless it is asked to. A leader is
 * given a fencing token. A candidate may resign and stand again. There is no {@code await()} that waits for the
 * leadership, because the listener is told of it.
 *
 * <pre>{@code
 * LeaderElection election = client.election("scheduler", new LeaderElection.Listener() {
 *     public void elected(long fencingToken) { scheduler.start(fencingToken); }
 *     public void deposed(String reason)     { scheduler.stop(); }
 * });
 * election.campaign();
 * ...
 * election.close();                       // resigns
 * }</pre>
 *
 * <p>The election uses the lock of the same name: {@link LockAdmin#inspect} shows the leader and the candidates. A
 * candidate that was deposed by a loss stands again by itself, at the end of the queue. Thread-safe.
 */
public interface LeaderElection extends AutoCloseable {

    /**
     * Told when this candidate begins and ceases to lead. The calls come in order and one at a time, on the client's
     * callback executor, even if that has several threads. For each {@code elected} there is one {@code deposed}, when
     * the leadership has ended because the candidate resigned, the leadership was lost, or the client was closed. If a
     * leadership ends before {@code elected} was called, the listener is not told of it at all.
     *
     * <p>An exception of a listener is logged and changes nothing: the candidate goes on leading or standing. A
     * listener that finds in {@code elected} that it cannot do a leader's work should resign. For that it needs the
     * election in a field of its own. Set the field before the candidate {@linkplain #campaign() campaigns}; the
     * listener is not called before that.
     */
    interface Listener {

        /**
         * This candidate leads. The leadership may be over by the time of this call; {@link #deposed} follows then.
         * Runs on the client's callback executor, so it should return soon: start the leader's work elsewhere, have it
         * ask {@link LeaderElection#isLeader()}, and end the work in {@link #deposed}, which is not called before this
         * method has returned.
         *
         * @param fencingToken larger than that of every leader before; to be sent with each write to a storage that
         *     checks it
         */
        void elected(long fencingToken);

        /**
         * Another client {@linkplain LockAdmin#requestRevocation asks} this leader to give the leadership up. The
         * leader decides: it may {@link LeaderElection#resign() resign}, after which it does not stand until it
         * campaigns again; or do nothing, as this method does by default. Called between {@link #elected} and {@link
         * #deposed}, once for each request, also for a request that was made before {@code elected} was called; see
         * {@link Held#onRevocationRequested}.
         *
         * @param who the client that asks
         * @param reason in its own words
         */
        default void revocationRequested(String who, String reason) {}

        /**
         * This candidate no longer leads; somebody else may, and the next leader does not wait until this method has
         * returned. To hand over so that two leaders never work at the same time, end the work first, and {@linkplain
         * LeaderElection#resign() resign} then. After a loss only two things protect the data: a check of {@link
         * LeaderElection#isLeader()} before each step, and a storage that checks the fencing token.
         *
         * @param reason in a sentence; that it resigned, or how the leadership was lost
         */
        void deposed(String reason);
    }

    /** {@return the election's name} */
    String name();

    /**
     * Stands for election, unless it does so already. Returns at once; while the store cannot be reached it tries again.
     *
     * @throws IllegalStateException if this candidate is closed
     * @throws LockClientClosedException if the client is closed
     */
    void campaign();

    /**
     * Steps down, or leaves the queue; does nothing otherwise. The next leader may be elected before
     * {@link Listener#deposed} is told. It may {@link #campaign()} again.
     */
    void resign();

    /** {@return whether this candidate leads for certain, by this process's own clock} No round trip. */
    boolean isLeader();

    /** {@return the token of the leadership that this candidate has now; empty if it does not lead} No round trip. */
    OptionalLong fencingToken();

    /**
     * {@return who leads, in whatever process, at a moment that may have passed; empty if nobody does} A few round trips.
     *
     * @throws LockStoreException if the store does not answer within {@link ClientOptions#storeTimeout()}
     * @throws LockClientClosedException if the client is closed
     */
    Optional<Participant> leader();

    /**
     * As {@link #resign()}, for good. Pending calls of the listener still run on the callback executor; this method
     * does not wait for them.
     */
    @Override
    void close();
}
