package io.wellkeeper.jdbc;

import io.wellkeeper.LockStoreException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeoutException;

/**
 * Takes locks of {@link RowLocks} in a transaction that exists already, and keeps them until the transaction ends.
 * Locking the same name again only draws another token. {@code ROLLBACK TO SAVEPOINT} to an earlier savepoint gives the
 * locks back, and so does a framework that ends a nested transaction in that way: then lock again.
 *
 * <p>When a wait for a lock times out, the transaction goes on, because the wait happens behind a savepoint. Any other
 * failure ends the transaction, as with any statement: roll back.
 */
public interface RowLocker {

    /**
     * Locks these names, one after the other in a certain order, waiting for as long as it takes; an interrupt does not end the
     * wait. Transactions that lock several names by several calls may deadlock, and one of them fails.
     *
     * @param names of locks
     * @return their fencing tokens
     * @throws LockStoreException if the database failed, or saw a deadlock: roll back
     * @throws IllegalStateException if the connection is in autocommit mode
     */
    Map<String, Long> lock(String... names);

    /**
     * Locks one name within the given time, or else throws, so that the caller rolls back; until then the transaction
     * is as it was.
     *
     * @param name of the lock
     * @param wait the longest time to wait; zero or less does not wait
     * @return its fencing token
     * @throws TimeoutException if the time has passed first
     * @throws LockStoreException as {@link #tryLock}
     * @throws IllegalStateException if the connection is in autocommit mode
     */
    default long lock(String name, Duration wait) throws TimeoutException {
        Map<String, Long> tokens = tryLock(wait, name)
                .orElseThrow(() -> new TimeoutException("the row '" + name + "' could not be locked within " + wait));
        return Objects.requireNonNull(tokens.get(name));
    }

    /**
     * Locks these names if all can be locked in the given time. If not, MySQL and MariaDB keep the locks that could be
     * had until the transaction ends.
     *
     * @param wait the longest time to wait; zero or less does not wait, except up to two seconds for the second
     *     connection that makes the row of a name not used before
     * @param names of locks
     * @return their fencing tokens; empty if the time has passed first
     * @throws LockStoreException if the database failed, or saw a deadlock: roll back; or the data source has given no second
     *     connection in all that time, two seconds or more
     * @throws IllegalStateException if the connection is in autocommit mode
     */
    Optional<Map<String, Long>> tryLock(Duration wait, String... names);
}
