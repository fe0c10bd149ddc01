package io.wellkeeper.stress;

/** A plain number. Whoever counts takes long enough over it for others to come in between, if they can. */
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
