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

    private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());
    private static final int LINE = 128; // a word has its cache line for itself
    private static final int PHASE = 0;
    private static final int BEGUN = LINE;
    private static final int INSIDE = 2 * LINE;
    private static final int TOKEN = 3 * LINE;
    private static final int VISITOR_INVITED = 4 * LINE;
    private static final int SIZE = 5 * LINE;

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
        add(BEGUN);
    }

    long begun() {
        return get(BEGUN);
    }

    /**
     * The caller has got the lock.
     *
     * @throws LockBrokenException if somebody else is in
     */
    void enter(long who) {
        if (!LONGS.compareAndSet(memory, INSIDE, 0L, who)) {
            throw new LockBrokenException("two hold the lock at once: " + who + " and " + get(INSIDE));
        }
    }

    /** The caller, who is in, is about to release the lock. */
    void leave(long who) {
        if (!LONGS.compareAndSet(memory, INSIDE, who, 0L)) {
            throw new LockBrokenException("while " + who + " held the lock " + get(INSIDE) + " got it");
        }
    }

    /** The caller, who is in, shows its token to the storage that it guards. */
    void show(long token) {
        long last = get(TOKEN);
        if (token <= last) {
            throw new LockBrokenException("fencing token " + token + " after " + last);
        }
        set(TOKEN, token);
    }

    boolean isVisitorInvited() {
        return get(VISITOR_INVITED) == 1;
    }

    void inviteVisitor(boolean yes) {
        set(VISITOR_INVITED, yes ? 1 : 0);
    }

    private long get(int word) {
        return (long) LONGS.getVolatile(memory, word);
    }

    private void set(int word, long value) {
        LONGS.setVolatile(memory, word, value);
    }

    private void add(int word) {
        long ignored = (long) LONGS.getAndAdd(memory, word, 1L);
    }
}
