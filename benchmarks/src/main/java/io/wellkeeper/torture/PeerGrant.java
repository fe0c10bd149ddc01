package io.wellkeeper.torture;

import java.util.concurrent.Callable;

/**
 * The grant of a peer. Its users believe that they hold the lock until they release it, or they ask the peer before
 * each use. None of the peers tells them of a loss.
 */
final class PeerGrant implements Locks.Grant {

    private final long token;
    private final Callable<Boolean> check;
    private final Callable<Boolean> release;

    /**
     * @param token the fencing token, or a substitute for it
     * @param check asks the peer whether the lock is held; a failure counts as no
     * @param release gives the lock back, and says whether it had been held; a failure counts as no
     */
    PeerGrant(long token, Callable<Boolean> check, Callable<Boolean> release) {
        this.token = token;
        this.check = check;
        this.release = release;
    }

    @Override
    public long token() {
        return token;
    }

    @Override
    public boolean isHeld() {
        return ask(check);
    }

    @Override
    public void onLost(Runnable told) {
        // the peer never tells of a loss
    }

    @Override
    public boolean release() {
        return ask(release);
    }

    private static boolean ask(Callable<Boolean> question) {
        try {
            return question.call();
        } catch (Exception failed) {
            return false;
        }
    }
}
