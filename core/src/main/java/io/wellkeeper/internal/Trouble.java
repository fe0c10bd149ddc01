package io.wellkeeper.internal;

import org.jspecify.annotations.Nullable;

/**
 * Tells the listeners why a store does not do what it is asked. The same reason is told only once, until the trouble is
 * over or has another reason.
 */
final class Trouble {

    private final Events events;
    private final String store;
    private final Monitor lock = new Monitor(); // guards the field below
    private @Nullable String told;

    /**
     * @param store the address of the store
     */
    Trouble(Events events, String store) {
        this.events = events;
        this.store = store;
    }

    void is(String problem) {
        boolean news;
        lock.lock();
        try {
            news = !problem.equals(told);
            told = problem;
        } finally {
            lock.unlock();
        }
        if (news) {
            events.storeTrouble(store, problem);
        }
    }

    void isOver() {
        lock.lock();
        try {
            told = null;
        } finally {
            lock.unlock();
        }
    }
}
