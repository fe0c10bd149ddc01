package io.wellkeeper;

import java.util.List;

/**
 * Inspection of, and intervention in, all locks of a store, whichever client uses them; for operators. See {@link
 * LockClient#admin()}. Thread-safe. Every method throws {@link LockStoreException} if the store does not answer within
 * {@link ClientOptions#storeTimeout()}, and {@link LockClientClosedException} if the client is closed.
 */
public interface LockAdmin {

    /**
     * Who holds a lock, or permits of a semaphore, and who waits for it, in all processes: everybody who has a ticket.
     * Of the waiters for permits in one client at most 128 have a ticket at a time.
     *
     * @param name the lock's name
     * @return the status that the store showed; costs a few round trips
     */
    LockStatus inspect(String name);

    /**
     * The names of locks in use, sorted.
     *
     * @param prefix what they begin with; empty for all
     * @return the names; some of their locks may be free by now
     */
    List<String> names(String prefix);

    /**
     * Asks whoever holds a lock, or permits of a semaphore, to give it up. The holders are told by the {@link
     * RevocationListener}s that they have registered, a leader by the {@link LeaderElection.Listener} of its election,
     * and each of them decides.
     *
     * @param name the lock's name
     * @param reason in a sentence, at most 1,024 characters
     * @return the number of holders now; it is not known whether any of them listens
     */
    int requestRevocation(String name, String reason);

    /**
     * Takes a lock away from its holders, without asking them. The holders are told of the loss within a heartbeat (at
     * most a third of the session timeout), and believe until then that they hold the lock. The next waiter in the
     * queue gets in at once, with a larger fencing token: only a storage that checks the tokens can refuse the later
     * writes of the former holders. The store keeps who broke the lock and why beside the queue while the queue is not
     * empty. {@link #inspect} shows it, and the exceptions that the former holders are thrown contain it from a round
     * trip after the loss on. If nobody waits, the former holders learn only that somebody has broken the lock.
     *
     * @param name the lock's name
     * @param reason in a sentence, at most 1,024 characters
     * @return the former holders
     */
    List<Participant> breakLock(String name, String reason);

    /**
     * Circles of threads, in all processes that use the store, that wait for each other. The store is read lock by
     * lock, so this costs a few round trips for each name in use. If the result looks like a circle, the locks that
     * somebody waits for are read once more, a third of this client's session timeout later. There are two reasons for
     * that: the threads may have moved on while the queues were read; and when a ticket passes from thread to thread,
     * its current thread is written on it only with the next heartbeat (at most a third of the session timeout, which
     * is assumed to be the same for all clients). Threads that have waited for less than that may be missing. Only
     * locks count: read-write locks and multi-locks included, semaphores not.
     *
     * @return empty if there is none
     */
    List<Deadlock> deadlocks();

    /**
     * Advice to the operator about how the store is set up, where that makes the locks less safe than they could be.
     * Costs a few round trips.
     *
     * @return one sentence for each; empty if there is nothing to advise, or the store cannot tell
     */
    List<String> storeWarnings();
}
