package io.wellkeeper.torture;

import io.wellkeeper.testservers.ServerDeath;

/** Thrown when a run is over because a server that was started for it has died by itself. */
final class ServerDied extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private final transient ServerDeath death;

    ServerDied(ServerDeath death) {
        super(death.message() + "; it wrote:\n" + String.join("\n", death.lastLines()));
        this.death = death;
    }

    ServerDeath death() {
        return death;
    }
}
