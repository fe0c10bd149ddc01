package io.wellkeeper;

/** Told that somebody would like a lock to be given up. The holder decides; doing nothing is an answer. */
@FunctionalInterface
public interface RevocationListener {

    /**
     * Somebody asks the holder to give the lock up. On the client's callback executor, once for each request.
     *
     * @param who the client that asks
     * @param reason in its own words
     */
    void onRevocationRequested(String who, String reason);
}
