package io.wellkeeper;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * One candidate for leadership: of all candidates of a name, in all processes, at most one leads at a time. When the
 * leader resigns, dies or is cut off, the next in the queue leads.
 *
 * <p><b>Where it differs from Curator's {@code LeaderLatch}.</b> The end of every leadership that was told is told too:
 * {@link Listener#deposed} also comes when the candidate itself has resigned or is closed, where {@code LeaderLatch.close()}
 * tells its listeners nothing unless it is asked to. A leader is given a fencing token. A candidate may resign and stand
 * again. Nothing waits for the leadership: there is no {@code await()}, as the listener is told.
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
 * <p>It is the mutex of the same name: {@link LockAdmin#inspect} shows the leader and the candidates. A candidate that
 * was deposed by a loss stands again by itself, at the end of the queue. Thread-safe.
 */
public interface LeaderElection extends AutoCloseable {

    /**
     * Told of this candidate's fate, in order and one word after the other, on the client's callback executor, whatever
     * threads that has. For each {@code elected} there is one {@code deposed}, when the leadership has ended: be it that
     * the candidate resigned, that the leadership was lost, or that the client was closed. A leadership that ends before
     * {@code elected} was told is not told of at all.
     *
     * <p>What a listener throws is logged and changes nothing: the candidate leads, or stands, as it would have done
     * otherwise. One that finds in {@code elected} that it cannot do a leader's work resigns. For that a listener needs the
     * election in a field of its own, to be set before the candidate {@linkplain #campaign() campaigns}: nothing is told before.
     */
    interface Listener {

        /**
         * This candidate leads. By the time it hears of it the leadership may be over, of which it is told afterwards. On the
         * client's callback executor, so it should return soon: start the leader's work elsewhere, have it ask
         * {@link LeaderElection#isLeader()}, and end it in {@link #deposed}, which is not told before this has returned.
         *
         * @param fencingToken larger than that of every leader before; to show to whatever it writes to
         */
        void elected(long fencingToken);

        /**
         * Another client {@linkplain LockAdmin#requestRevocation asks} this leader to give the leadership up. It decides: it may
         * {@link LeaderElection#resign() resign}, after which it does not stand until it campaigns again; or do nothing, as this
         * method does by default. Told between {@link #elected} and {@link #deposed}, once for each request, also for one that was
         * made before it was told that it leads; see {@link Held#onRevocationRequested}.
         *
         * @param who the client that asks
         * @param reason in its own words
         */
        default void revocationRequested(String who, String reason) {}

        /**
         * This candidate no longer leads; somebody else may, and the next leader does not wait until this method has returned.
         * To hand over without two who work at a time, end the work first, and {@linkplain LeaderElection#resign() resign}
         * then. After a loss it is {@link LeaderElection#isLeader()}, before each step, and the fencing token that protect what
         * the leader writes to.
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
     * As {@link #resign()}, for good. What the listener is still to be told is told on the callback executor; nothing waits
     * for it.
     */
    @Override
    void close();
}
