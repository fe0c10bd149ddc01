package io.wellkeeper.spi;

/** Told how a session fares. Called on the store's thread; the methods never block and never throw. */
public interface SessionListener {

    /**
     * The store cannot be reached just now; the session may live.
     *
     * @param problem what is known of the reason, without secrets
     */
    void suspect(String problem);

    /** The store can be reached again and the session lives. */
    void live();

    /** The session has ended, and its tickets with it. The last call. */
    void lost();
}
