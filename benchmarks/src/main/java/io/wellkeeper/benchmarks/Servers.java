package io.wellkeeper.benchmarks;

/** The servers that both sides use. */
interface Servers extends AutoCloseable {

    /** The URI of the server for a client to use; both sides get the same one, and every one comes round. */
    String uri(int turn);

    /** The requests that all clients have sent; from which moment on is arbitrary. */
    long requests();
}
