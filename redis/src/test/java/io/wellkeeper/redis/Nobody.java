package io.wellkeeper.redis;

import io.wellkeeper.spi.DepartureWatcher;
import io.wellkeeper.spi.SessionListener;
import io.wellkeeper.spi.Ticket;

/** Is told, and does nothing. */
class Nobody implements SessionListener, DepartureWatcher {

    @Override
    public void suspect(String problem) {}

    @Override
    public void live() {}

    @Override
    public void lost() {}

    @Override
    public void departed(Ticket ticket) {}

    @Override
    public void changed() {}
}
