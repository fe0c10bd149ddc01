package io.wellkeeper.spi;

import io.wellkeeper.LockStoreException;
import org.jspecify.annotations.Nullable;

/**
 * The store has refused for a reason that waiting does not remove: somebody has to change something first. Examples are
 * a wrong password, a missing permission, a missing table, database or driver, an unknown host, and a full disk.
 * Another example is a condition of the store's own options that was not met in the time that these options allow, such
 * as replicas that have not acknowledged a ticket. The exception ends the call that needed the store at once, and the
 * next call asks the store again.
 *
 * <p>Everything that may pass by itself is a plain {@link LockStoreException}, for which a client waits: a connection that
 * is refused or breaks, an answer that does not come, a server that loads its data, fails over, or has too many clients.
 */
public class StoreRefusalException extends LockStoreException {

    private static final long serialVersionUID = 1L;

    /**
     * For what was refused without an exception of the driver's.
     *
     * @param message where, and why in the words of the store; no secrets
     */
    public StoreRefusalException(String message) {
        super(message);
    }

    /**
     * For what was refused by an exception of the driver's.
     *
     * @param message where, and why in the words of the store; no secrets
     * @param cause the driver's exception, if there is one
     */
    public StoreRefusalException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
