package io.wellkeeper.spring;

/**
 * What a guarded method does where a transaction is active already when it acquires its lock. The lock is then inside
 * of the transaction, where it should not be: data that the transaction has read before may be older than the last
 * holder's writes. At snapshot isolation (such as REPEATABLE READ of MySQL) the same is true of data that it reads
 * afterwards.
 */
public enum InTransaction {
    /** As {@link LockedSettings#inTransaction()} says; there, {@link #RELEASE_AFTER_COMPLETION}. */
    DEFAULT,
    /**
     * The lock is held until the transaction has been committed or rolled back, so that nobody else comes in before the
     * changes made under it can be seen. A warning in the log, one for each method, says that the data read may be old.
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
