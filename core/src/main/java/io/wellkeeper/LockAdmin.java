package io.wellkeeper;

import java.util.List;

/**
 * What an operator wants of the locks in a store, whoever uses them; see {@link LockClient#admin()}. Thread-safe. Every
 * method throws {@link LockStoreException} if the store does not answer within {@link ClientOptions#storeTimeout()}, and
 * {@link LockClientClosedException} if the client is closed.
 */
public interface LockAdmin {

    /**
     * Who holds a lock, or permits of a semaphore, and who waits for it, in all processes: whoever has a ticket of his own. Of
     * those who wait for permits in one client 128 have one at a time.
     *
     * @param name the lock's name
     * @return what the store showed; a few round trips
     */
    LockStatus inspect(String name);

    /**
     * The names of locks in use, sorted.
     *
     * @param prefix what they begin with; empty for all
     * @return names of which nobody may hold the lock any more
     */
    List<String> names(String prefix);

    /**
     * Asks whoever holds a lock, or permits of a semaphore, to give it up. The holders are told by the
     * {@link RevocationListener}s that they have registered, a leader by the {@link LeaderElection.Listener} of its election, and
     * decide.
     *
     * @param name the lock's name
     * @param reason in a sentence, at most 1,024 characters
     * @return how many hold it now; whether any of them listens is not known
     */
    int requestRevocation(String name, String reason);

    /**
     * Takes a lock away from whoever holds it, without being asked. The holders are told that they have lost it, within a
     * heartbeat (at most a third of the session timeout), and believe that they hold it until then; the next one in the
     * queue gets in at once, with larger fencing tokens: what the former holders still write can only be refused by a storage that checks them. Who did it and why
     * is kept beside the queue while somebody is in it, shown by {@link #inspect}, and part of what the former holders are
     * thrown from a round trip after the loss on. If nobody waits, the former holders learn only that somebody has done it.
     *
     * @param name the lock's name
     * @param reason in a sentence, at most 1,024 characters
     * @return those who held it
     */
    List<Participant> breakLock(String name, String reason);

    /**
     * Circles of threads, in all processes that use the store, that wait for each other. The store is read lock by lock,
     * so it costs a few round trips for each name in use; and if that looks like a circle, as many again for those in which
     * somebody waits, a third of this client's session timeout later. For the threads may have moved on while the queues were
     * read, and who is behind a ticket that passes from thread to thread is written on it with every heartbeat (at most a
     * third of the session timeout, which is taken to be the same for all). Threads that have waited for less than that may
     * be missing. Only locks count: read-write locks and multi-locks included, semaphores not.
     *
     * @return empty if there is none
     */
    List<Deadlock> deadlocks();

    /**
     * What an operator should change about how the store is set up, because it keeps locks less well than it could. Costs
     * a few round trips.
     *
     * @return each in a sentence; empty if there is nothing, or the store cannot tell
     */
    List<String> storeWarnings();
}
