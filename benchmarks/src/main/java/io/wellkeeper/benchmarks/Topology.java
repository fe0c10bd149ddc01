package io.wellkeeper.benchmarks;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/** How many servers there are, and how far away. */
enum Topology {
    ONE_SERVER("one server"),
    THREE_SERVERS("three servers"),
    DISTANT_SERVER("one server, 1 ms away");

    /** The topologies without a delay of messages. */
    static final Set<Topology> NEAR = EnumSet.of(ONE_SERVER, THREE_SERVERS);

    /** The delay of messages to and from a distant server, each way. */
    static final Duration WIRE_DELAY = Duration.ofMillis(1);

    private final String title;

    Topology(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }
}
