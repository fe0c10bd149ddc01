package io.wellkeeper.spring;

/**
 * What a guarded method does if a transaction is active already when it acquires its lock. The lock is then inside
 * of the transaction, where it should not be: data that the transaction has read before may be older than the last
 * holder's writes. At snapshot isolation (such as REPEATABLE READ of MySQL) the same is true of data that it reads
 * afterwards.
 */
public enum InTransaction {
    /**
     * At a method: as {@link LockedSettings#inTransaction()} says. In the settings: {@link #RELEASE_AFTER_COMPLETION}.
     */
    DEFAULT,
    /**
     * The lock is held until the transaction has been committed or rolled back, so that the next holder comes in only
     * when the changes made under the lock can be seen. A warning in the log, one for each method, says that the data
     * read may be old.
     */
    RELEASE_AFTER_COMPLETION,
    /** The call ends with {@link org.springframework.transaction.IllegalTransactionStateException}; nothing is acquired. */
    FAIL,
    /**
     * The lock is released when the method has ended, before the commit. Only for work that has nothing to do with the
     * transaction.
     */
    ALLOW
}
