package io.wellkeeper;

import java.util.List;

/**
 * Threads, of one process or of several, that wait for each other in a circle and will do so for ever.
 *
 * @param circle each waits for a lock that the next one holds, and the last for one that the first holds
 */
public record Deadlock(List<Waiting> circle) {

    /**
     * Makes the list immutable.
     *
     * @param circle copied
     */
    public Deadlock {
        circle = List.copyOf(circle);
    }

    /**
     * One thread of the circle.
     *
     * @param who the process and the thread
     * @param wants the name of the lock it waits for
     * @param holds the name of the lock that it holds and the one before it in the circle wants
     */
    public record Waiting(Participant who, String wants, String holds) {}
}
