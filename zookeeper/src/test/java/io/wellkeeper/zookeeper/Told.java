package io.wellkeeper.zookeeper;

import io.wellkeeper.spi.DepartureWatcher;
import io.wellkeeper.spi.SessionListener;
import io.wellkeeper.spi.Ticket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Remembers what it was told. */
final class Told implements SessionListener, DepartureWatcher, Runnable {

    final List<String> all = new CopyOnWriteArrayList<>();

    @Override
    public void suspect(String problem) {
        all.add("suspect");
    }

    @Override
    public void live() {
        all.add("live");
    }

    @Override
    public void lost() {
        all.add("lost");
    }

    @Override
    public void departed(Ticket ticket) {
        all.add("departed " + ticket.id());
    }

    @Override
    public void changed() {
        all.add("changed");
    }

    @Override
    public void run() {
        all.add("run");
    }
}
