package io.wellkeeper.torture;

import java.util.function.Consumer;

/** One or a few promises of the locks, looked for in a history in O(n log n). */
@FunctionalInterface
interface Rule {

    /**
     * Looks for what breaks a promise.
     *
     * @param run the history
     * @param trouble when promises about time do not count
     * @param found told of each breach
     */
    void check(Run run, Trouble trouble, Consumer<Violation> found);
}
