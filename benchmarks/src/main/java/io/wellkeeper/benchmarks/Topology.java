package io.wellkeeper.benchmarks;

/** How many servers there are. */
enum Topology {
    ONE_SERVER("one server"),
    THREE_SERVERS("three servers");

    private final String title;

    Topology(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }
}
