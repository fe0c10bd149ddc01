package io.wellkeeper.benchmarks;

/** The servers that both sides use. */
interface Servers extends AutoCloseable {

    /** The URI of the server that a client uses: the same for both sides in a turn, and each server in some turn. */
    String uri(int turn);

    /**
     * The number of requests that all clients have sent since some moment. If the servers do not count requests it is
     * always 0, and the workers count.
     */
    long requests();

    /** The name and version of the servers. */
    String version();
}
