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
 * A few words of memory that all processes of a slot share. They align the time windows, and they would show if a lock
 * let two holders in at once.
 */
final class Scoreboard {

    /** A phase of the slot. Cycles count if they end in {@link #MEASURE}. */
    static final long WARM = 0;

    static final long MEASURE = 1;
    static final long OVER = 2;

    /** How much all holders of a lock together may take. */
    static final int WHOLE = 1 << 20;

    private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());
    private static final int LINE = 128; // each word has a cache line of its own
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

    /** The scoreboard in this file, which is made if it does not exist. */
    static Scoreboard in(Path file) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return new Scoreboard(channel.map(FileChannel.MapMode.READ_WRITE, 0, SIZE));
        }
    }

    /** To be called before a slot, while no process uses the scoreboard. */
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

    /** Counts one more thread that has begun. */
    void begin() {
        add(BEGUN, 1);
    }

    long begun() {
        return get(BEGUN);
    }

    /**
     * To be called when the caller has got the lock.
     *
     * @param share how much the caller takes: all, if there may be no other holder
     * @throws LockBrokenException if the other holders have left less than that
     */
    void enter(int share) {
        long taken = add(INSIDE, share);
        if (taken + share > WHOLE) {
            throw new LockBrokenException("too many hold the lock at once: a share of " + share + " was given beside "
                    + taken + ", of " + WHOLE);
        }
    }

    /** To be called by a holder that is about to release the lock. */
    void leave(int share) {
        long taken = add(INSIDE, -share);
        if (taken > WHOLE) {
            throw new LockBrokenException("too many hold the lock at once: shares of " + taken + ", of " + WHOLE);
        }
    }

    /**
     * To be called by a holder that shows its token to the guarded storage. The token must be larger than those of all
     * earlier holders that took all. Only tokens of such holders are remembered.
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

    /** To be called by a holder that releases the lock now. */
    void give() {
        set(GIVEN, System.nanoTime());
    }

    /** When the holder began to release the lock, by the machine's clock, which is the same for all processes. */
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
