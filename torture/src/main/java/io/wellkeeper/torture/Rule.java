package io.wellkeeper.torture;

import java.util.function.Consumer;

/** Checks one or a few promises of the locks in a history, in O(n log n). */
@FunctionalInterface
interface Rule {

    /**
     * Looks for violations.
     *
     * @param run the history
     * @param trouble the times for which promises about time do not count
     * @param found receives each violation
     */
    void check(Run run, Trouble trouble, Consumer<Violation> found);
}
