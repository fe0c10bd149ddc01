package io.wellkeeper.stress;

/** A plain number. Counting takes so long that another thread comes in between if it can. */
final class Counter {

    private int value;

    void count() {
        int seen = value;
        Thread.yield();
        value = seen + 1;
    }

    int value() {
        return value;
    }
}
