package io.wellkeeper.benchmarks;

import io.wellkeeper.benchmarks.Locks.CycleLock;
import java.util.stream.IntStream;

/** The kind of lock that a work uses, and what each side does for a cycle with it. */
enum Recipe {
    MUTEX("", "", "") {
        @Override
        CycleLock open(Locks locks, String name, int size, int thread) {
            return locks.lock(name);
        }
    },
    SEMAPHORE(
            "semaphore",
            "asks for a ticket and for the queue in one go, is in if there are permits enough for all before it and for"
                    + " itself, and gives the ticket back without waiting for the answer",
            "acquires a mutex of its own, creates the node of its lease, reads all leases until they are few enough,"
                    + " releases the mutex, and deletes the lease when the permit comes back, one request after another") {
        @Override
        CycleLock open(Locks locks, String name, int size, int thread) {
            return locks.permit(name, size);
        }
    },
    READ_LOCK(
            "read lock",
            "lets the readers of one client share a ticket, as often as the bound allows while others wait (strict:"
                    + " each has a ticket of its own)",
            "creates a node for every reader, reads the queue for a writer before it, and deletes the node") {
        @Override
        CycleLock open(Locks locks, String name, int size, int thread) {
            return locks.read(name);
        }
    },
    READ_WRITE_LOCK(
            "read-write lock",
            "queues readers and writers by number, lets readers join those of their client who are in, and hands on"
                    + " within the client, as often as the bound allows (strict: each has a ticket of its own)",
            "queues a node for every reader and writer, and each looks at the queue and watches the one that it waits"
                    + " for") {
        @Override
        CycleLock open(Locks locks, String name, int size, int thread) {
            return new ReadsAndWrites(locks.read(name), locks.write(name), size, thread);
        }
    },
    MULTI_LOCK(
            "multi-lock",
            "asks for the tickets of all members at once, and gives them back without waiting for the answers",
            "acquires one mutex after the other, and releases one after the other") {
        @Override
        CycleLock open(Locks locks, String name, int size, int thread) {
            return locks.all(IntStream.range(0, size)
                    .mapToObj(member -> name + "-" + member)
                    .toList());
        }
    };

    private final String title;
    private final String ours;
    private final String theirs;

    Recipe(String title, String ours, String theirs) {
        this.title = title;
        this.ours = ours;
        this.theirs = theirs;
    }

    String title() {
        return title;
    }

    /** Whether there may be several holders at once. */
    boolean isShared() {
        return this != MUTEX && this != MULTI_LOCK;
    }

    /** What our lock, or Curator's, does for a cycle; completes a sentence. */
    String does(boolean ours) {
        return ours ? this.ours : theirs;
    }

    /**
     * Makes the lock that one thread uses.
     *
     * @param name without slashes, or the beginning of names
     * @param size the permits of a semaphore, the members of a multi-lock, or the number of reads for each write
     * @param thread the number of the thread, so that not all threads begin with the same step
     */
    abstract CycleLock open(Locks locks, String name, int size, int thread);
}
