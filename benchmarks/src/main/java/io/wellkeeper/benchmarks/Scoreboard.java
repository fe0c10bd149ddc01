package io.wellkeeper.benchmarks;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A few words of memory that all processes of a slot share: they align the time windows, and they would show a lock
 * that lets two in at once.
 */
final class Scoreboard {

    /** Which part of the slot it is. Cycles count if they end in {@link #MEASURE}. */
    static final long WARM = 0;

    static final long MEASURE = 1;
    static final long OVER = 2;

    /** What all holders of a lock together may take. */
    static final int WHOLE = 1 << 20;

    private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());
    private static final int LINE = 128; // a word has its cache line for itself
    private static final int PHASE = 0;
    private static final int BEGUN = LINE;
    private static final int INSIDE = 2 * LINE;
    private static final int TOKEN = 3 * LINE;
    private static final int VISITOR_INVITED = 4 * LINE;
    private static final int GIVEN = 5 * LINE;
    private static final int SIZE = 6 * LINE;

    private final MappedByteBuffer memory;

    private Scoreboard(MappedByteBuffer memory) {
        this.memory = memory;
    }

    /** The scoreboard in this file, made if need be. */
    static Scoreboard in(Path file) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return new Scoreboard(channel.map(FileChannel.MapMode.READ_WRITE, 0, SIZE));
        }
    }

    /** Before a slot, while nobody uses it. */
    void reset() {
        for (int word = 0; word < SIZE; word += LINE) {
            set(word, 0);
        }
    }

    long phase() {
        return get(PHASE);
    }

    /** From now on cycles count, unless a failure has ended the slot already. */
    void beginMeasuring() {
        LONGS.compareAndSet(memory, PHASE, WARM, MEASURE);
    }

    void end() {
        set(PHASE, OVER);
    }

    /** One more thread is at work. */
    void begin() {
        add(BEGUN, 1);
    }

    long begun() {
        return get(BEGUN);
    }

    /**
     * The caller has got the lock.
     *
     * @param share what it takes: all, if nobody else may be in
     * @throws LockBrokenException if those who are in have left less
     */
    void enter(int share) {
        long taken = add(INSIDE, share);
        if (taken + share > WHOLE) {
            throw new LockBrokenException("too many hold the lock at once: a share of " + share + " was given beside "
                    + taken + ", of " + WHOLE);
        }
    }

    /** The caller, who is in, is about to release the lock. */
    void leave(int share) {
        long taken = add(INSIDE, -share);
        if (taken > WHOLE) {
            throw new LockBrokenException("too many hold the lock at once: shares of " + taken + ", of " + WHOLE);
        }
    }

    /**
     * The caller, who is in, shows its token to the storage that it guards: larger than that of everybody who was in
     * alone before. Only the tokens of such are remembered.
     */
    void show(long token, int share) {
        long last = get(TOKEN);
        if (token <= last) {
            throw new LockBrokenException("fencing token " + token + " after " + last);
        }
        if (share == WHOLE) {
            set(TOKEN, token);
        }
    }

    boolean isVisitorInvited() {
        return get(VISITOR_INVITED) == 1;
    }

    void inviteVisitor(boolean yes) {
        set(VISITOR_INVITED, yes ? 1 : 0);
    }

    /** The caller, who is in, releases the lock now. */
    void give() {
        set(GIVEN, System.nanoTime());
    }

    /** When the lock was given, by the clock of the machine, which all processes read alike. */
    long given() {
        return get(GIVEN);
    }

    private long get(int word) {
        return (long) LONGS.getVolatile(memory, word);
    }

    private void set(int word, long value) {
        LONGS.setVolatile(memory, word, value);
    }

    private long add(int word, long value) {
        return (long) LONGS.getAndAdd(memory, word, value);
    }
}
