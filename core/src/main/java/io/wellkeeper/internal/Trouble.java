package io.wellkeeper.internal;

import org.jspecify.annotations.Nullable;

/** What a store has to say about why it does not do what it is asked: told once, until it is over or is another. */
final class Trouble {

    private final Events events;
    private final String store;
    private final Monitor lock = new Monitor(); // guards the field below
    private @Nullable String told;

    /**
     * @param store its address
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
