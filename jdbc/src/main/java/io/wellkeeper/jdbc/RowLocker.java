package io.wellkeeper.jdbc;

import io.wellkeeper.LockStoreException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeoutException;

/**
 * Takes locks of {@link RowLocks} in a transaction that exists already, and keeps them until it ends. To lock the same again does
 * nothing but draw another token. {@code ROLLBACK TO SAVEPOINT} to a savepoint from before gives them back, and so does a
 * framework that ends a nested transaction in that way: then lock again.
 *
 * <p>A wait in vain does not end the transaction: it happens behind a savepoint. What else goes wrong ends it, as with
 * any statement: roll back.
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
     * Locks one name within the given time, or fails, so that the transaction is rolled back; it is still as it was.
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
     * Locks these names if all can be had in the given time. If not, MySQL and MariaDB keep those of them that could be had locked
     * until the transaction ends.
     *
     * @param wait the longest time to wait; zero or less does not wait, but two seconds for the second connection that makes
     *     the row of a name not used before
     * @param names of locks
     * @return their fencing tokens; empty if the time has passed first
     * @throws LockStoreException if the database failed, or saw a deadlock: roll back; or the data source has given no second
     *     connection in all that time, two seconds or more
     * @throws IllegalStateException if the connection is in autocommit mode
     */
    Optional<Map<String, Long>> tryLock(Duration wait, String... names);
}
