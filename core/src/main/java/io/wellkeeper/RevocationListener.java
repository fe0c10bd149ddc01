package io.wellkeeper;

/** Told that somebody would like a lock to be given up. The holder decides; doing nothing is an answer. */
@FunctionalInterface
public interface RevocationListener {

    /**
     * Somebody asks the holder to give the lock up. On the client's callback executor, where it should return soon, once for
     * each request; of more
     * than 16 that the holder has not yet read, or longer reasons than a notice has room for, only the last ones.
     *
     * @param who the client that asks
     * @param reason in its own words
     */
    void onRevocationRequested(String who, String reason);
}
