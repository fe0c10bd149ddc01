package io.wellkeeper.storekit;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A resource that a read-write lock protects. It notices a writer that is not alone, a write with a token that does not
 * grow, and a read with a token that is older than that of the last write.
 */
final class SharedResource {

    private final AtomicInteger readers = new AtomicInteger();
    private final AtomicInteger writers = new AtomicInteger();
    private final AtomicLong lastWrite = new AtomicLong();
    private final Queue<String> wrong = new ConcurrentLinkedQueue<>();

    void beginWrite(long token) {
        if (writers.incrementAndGet() != 1) {
            wrong.add("two writers at once");
        }
        if (readers.get() != 0) {
            wrong.add("a writer beside readers");
        }
        long former = lastWrite.getAndSet(token);
        if (former >= token) {
            wrong.add("write with token " + token + " after " + former);
        }
        Thread.yield();
    }

    void endWrite() {
        writers.decrementAndGet();
    }

    void beginRead(long token) {
        readers.incrementAndGet();
        if (writers.get() != 0) {
            wrong.add("a reader beside a writer");
        }
        if (lastWrite.get() > token) {
            wrong.add("read with token " + token + " after a write with " + lastWrite);
        }
        Thread.yield();
    }

    void endRead() {
        readers.decrementAndGet();
    }

    List<String> wrong() {
        return new ArrayList<>(wrong);
    }
}
