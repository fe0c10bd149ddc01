package io.wellkeeper.benchmarks;

import io.wellkeeper.benchmarks.Locks.CycleLock;

/**
 * Uses the two sides of a read-write lock in turn: so many reads, then a write. The first thread begins with the write,
 * the second with the read before it, and so on, so that there are writes from the beginning.
 */
final class ReadsAndWrites implements CycleLock {

    private final CycleLock read;
    private final CycleLock write;
    private final int readsPerWrite;
    private int turn;

    ReadsAndWrites(CycleLock read, CycleLock write, int readsPerWrite, int thread) {
        this.read = read;
        this.write = write;
        this.readsPerWrite = readsPerWrite;
        this.turn = Math.floorMod(readsPerWrite - thread, readsPerWrite + 1);
    }

    @Override
    public void acquire() throws Exception {
        current().acquire();
    }

    @Override
    public void release() throws Exception {
        CycleLock held = current();
        turn++;
        held.release();
    }

    @Override
    public long token() {
        return current().token();
    }

    @Override
    public int share() {
        return current().share();
    }

    private CycleLock current() {
        return turn % (readsPerWrite + 1) == readsPerWrite ? write : read;
    }
}
