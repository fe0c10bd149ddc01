package io.wellkeeper.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.wellkeeper.DistributedReadWriteLock;
import io.wellkeeper.LockHandle;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIZ_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** Readers and writers of two plain fields. */
final class SharingStress {

    private SharingStress() {}

    /** Two fields that a writer changes together. */
    abstract static class Pair {

        final World world = new World(World.DEFAULTS);
        final DistributedReadWriteLock lock = world.client().readWriteLock(World.NAME);
        private final Counter left = new Counter();
        private final Counter right = new Counter();

        /** To be called under the write lock. */
        void change() {
            left.count();
            right.count();
        }

        /** To be called under the read or the write lock; negative if the fields differ. */
        int look() {
            int seen = left.value();
            return seen == right.value() ? seen : -1;
        }

        int read() {
            lock.readLock().lock();
            int seen = look();
            lock.readLock().unlock();
            return seen;
        }

        void write() {
            lock.writeLock().lock();
            change();
            lock.writeLock().unlock();
        }

        boolean isFreeAndClean() {
            return look() >= 0 && world.isFreeAndClean(lock.writeLock());
        }
    }

    /** Two threads write and read. */
    @JCStressTest
    @Outcome(id = "1, 2, true", expect = ACCEPTABLE, desc = "both, or the own one only")
    @Outcome(id = "2, 1, true", expect = ACCEPTABLE, desc = "both, or the own one only")
    @Outcome(id = "2, 2, true", expect = ACCEPTABLE, desc = "both have seen both")
    @Outcome(expect = FORBIDDEN, desc = "half a change was seen, or none, or something is left behind")
    @State
    public static class ReadersAndWriters extends Pair {

        @Actor
        public void actor1(IIZ_Result r) {
            write();
            r.r1 = read();
        }

        @Actor
        public void actor2(IIZ_Result r) {
            write();
            r.r2 = read();
        }

        @Arbiter
        public void arbiter(IIZ_Result r) {
            r.r3 = isFreeAndClean();
        }
    }

    /** A reader looks twice while a writer comes. */
    @JCStressTest
    @Outcome(id = "0, 0, true", expect = ACCEPTABLE, desc = "before the change")
    @Outcome(id = "0, 1, true", expect = ACCEPTABLE, desc = "before and after")
    @Outcome(id = "1, 1, true", expect = ACCEPTABLE, desc = "after the change")
    @Outcome(expect = FORBIDDEN, desc = "half a change was seen, or it was undone, or something is left behind")
    @State
    public static class OneWriter extends Pair {

        @Actor
        public void actor1() {
            write();
        }

        @Actor
        public void actor2(IIZ_Result r) {
            r.r1 = read();
            r.r2 = read();
        }

        @Arbiter
        public void arbiter(IIZ_Result r) {
            r.r3 = isFreeAndClean();
        }
    }

    /** A writer becomes a reader, and lets others read too. */
    @JCStressTest
    @Outcome(id = "1, 0, true", expect = ACCEPTABLE, desc = "the reader came before the writer")
    @Outcome(id = "1, 1, true", expect = ACCEPTABLE, desc = "the reader came after the writer, or beside him")
    @Outcome(expect = FORBIDDEN, desc = "half a change was seen, or something is left behind")
    @State
    public static class Downgrade extends Pair {

        @Actor
        public void actor1(IIZ_Result r) {
            lock.writeLock().lock();
            change();
            lock.readLock().lock();
            lock.writeLock().unlock();
            r.r1 = look();
            lock.readLock().unlock();
        }

        @Actor
        public void actor2(IIZ_Result r) {
            r.r2 = read();
        }

        @Arbiter
        public void arbiter(IIZ_Result r) {
            r.r3 = isFreeAndClean();
        }
    }

    /** A handle is downgraded and closed at the same moment: either comes first, and nothing is left behind. */
    @JCStressTest
    @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "downgraded first, and the milder handle closed")
    @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "closed first")
    @State
    public static class DowngradeOrClose extends Pair {

        private final LockHandle handle = lock.writeLock().tryAcquire().orElseThrow();

        @Actor
        public void actor1(ZZ_Result r) {
            try {
                lock.downgrade(handle).close();
                r.r1 = true;
            } catch (IllegalMonitorStateException closed) {
                r.r1 = false;
            }
        }

        @Actor
        public void actor2() {
            handle.close();
        }

        @Arbiter
        public void arbiter(ZZ_Result r) {
            r.r2 = isFreeAndClean();
        }
    }
}
