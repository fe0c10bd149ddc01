package io.wellkeeper;

/** Told when somebody asks for a lock to be given up. The holder decides; it may do nothing. */
@FunctionalInterface
public interface RevocationListener {

    /**
     * Somebody asks the holder to give the lock up. Runs on the client's callback executor, where it should return
     * soon, once for each request. If there are more than 16 requests that the holder has not read yet, or their
     * reasons are longer than a notice has room for, the holder is told only of the last ones.
     *
     * @param who the client that asks
     * @param reason the reason that this client gave
     */
    void onRevocationRequested(String who, String reason);
}
