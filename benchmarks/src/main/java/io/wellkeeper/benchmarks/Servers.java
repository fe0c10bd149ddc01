package io.wellkeeper.benchmarks;

/** The servers that both sides use. */
interface Servers extends AutoCloseable {

    /** The URI of the server for a client to use; both sides get the same one, and every one comes round. */
    String uri(int turn);

    /**
     * The requests that all clients have sent, from an arbitrary moment on; always 0 if the servers do not count them. Then
     * the workers do.
     */
    long requests();

    /** What is running. */
    String version();
}
