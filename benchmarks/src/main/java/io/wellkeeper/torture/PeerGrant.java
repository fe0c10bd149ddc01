package io.wellkeeper.torture;

import java.util.concurrent.Callable;

/**
 * What a peer has let in. Its users believe that they hold it until they release it, or ask the peer each time, as they
 * choose; none of the peers tells them of a loss.
 */
final class PeerGrant implements Locks.Grant {

    private final long token;
    private final Callable<Boolean> check;
    private final Callable<Boolean> release;

    /**
     * @param token its fencing token, or what stands for one
     * @param check whether it is held, as the peer says; what fails says no
     * @param release gives it back, and says whether it had been held; what fails says no
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
        // nobody would tell
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
