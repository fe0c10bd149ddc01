package io.wellkeeper.torture;

import java.time.Duration;

/** Opens the locks of each {@link Peer}. */
public final class PeerLocks implements Locks.Opener {

    @Override
    public Locks open(String driver, String uri, Duration sessionTimeout) {
        return Peer.valueOf(driver).open(uri, sessionTimeout);
    }
}
