package io.wellkeeper.benchmarks;

import io.wellkeeper.benchmarks.Slot.Job;
import io.wellkeeper.benchmarks.Slot.Role;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/** One measured thread: uses locks as its role says until the slot is over, and counts cycles. */
final class Villager implements Runnable {

    private static final long SHOW_TOKEN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long POLL_NANOS = TimeUnit.MICROSECONDS.toNanos(50);
    private static final long SETTLE_MILLIS = 5;
    private static final long COME_MILLIS = 20; // enough for the taker to be in the queue, even of a distant server

    // its multiples are spread evenly, whatever their number
    private static final double GOLDEN = (Math.sqrt(5) - 1) / 2;

    private final Job job;
    private final int number;
    private final Locks locks;
    private final Scoreboard board;
    private final boolean hasToken;
    private final Histogram latencies = Histograms.empty();
    private long lastShown = System.nanoTime() - SHOW_TOKEN_NANOS;
    private double pollPhase = ThreadLocalRandom.current().nextDouble();
    private long cycles;
    private long allCycles;

    /**
     * Makes one of the threads of a job.
     *
     * @param number its number in this process, from 0
     */
    Villager(Job job, int number, Locks locks, Scoreboard board) {
        this.job = job;
        this.number = number;
        this.locks = locks;
        this.board = board;
        this.hasToken = job.contestant().isOurs() && job.role() != Role.FRESH;
    }

    /** How many cycles ended in the measured window. */
    long cycles() {
        return cycles;
    }

    long allCycles() {
        return allCycles;
    }

    Histogram latencies() {
        return latencies;
    }

    @Override
    public void run() {
        board.begin();
        try {
            switch (job.role()) {
                case CYCLE -> cycleOnOne();
                case FRESH -> cycleOnFresh();
                case RESIDENT -> reside();
                case VISITOR -> visit();
                case PASSER_BY -> passBy();
                case GIVER -> give();
                case TAKER -> take();
                case HOLDER -> stay();
            }
        } catch (RuntimeException failure) {
            board.end();
            throw failure;
        } catch (Exception failure) {
            board.end();
            throw new IllegalStateException(failure);
        }
    }

    private void cycleOnOne() throws Exception {
        Locks.CycleLock lock = job.open(locks, job.lock(), number);
        while (isOn()) {
            long start = System.nanoTime();
            use(lock, start);
            count(System.nanoTime() - start);
        }
    }

    private void cycleOnFresh() throws Exception {
        String prefix = job.lock() + "-" + who() + "-";
        for (long i = 0; isOn(); i++) {
            long start = System.nanoTime();
            use(job.open(locks, prefix + i, number), start);
            count(System.nanoTime() - start);
        }
    }

    private void reside() throws Exception {
        Locks.CycleLock lock = job.open(locks, job.lock(), number);
        while (isOn()) {
            use(lock, System.nanoTime());
            board.inviteVisitor(true);
            while (isOn() && board.isVisitorInvited()) {
                LockSupport.parkNanos(POLL_NANOS);
            }
        }
    }

    private void visit() throws Exception {
        Locks.CycleLock lock = job.open(locks, job.lock(), number);
        while (isOn()) {
            if (board.isVisitorInvited()) {
                Thread.sleep(SETTLE_MILLIS);
                comeIn(lock);
                board.inviteVisitor(false);
            } else {
                LockSupport.parkNanos(POLL_NANOS);
            }
        }
    }

    private void passBy() throws Exception {
        Locks.CycleLock lock = job.open(locks, job.lock(), number);
        while (isOn()) {
            Thread.sleep(SETTLE_MILLIS);
            comeIn(lock);
        }
    }

    private void give() throws Exception {
        Locks.CycleLock lock = job.open(locks, job.lock(), number);
        while (isOn()) {
            lock.acquire();
            board.inviteVisitor(true);
            Thread.sleep(COME_MILLIS + pollPart());
            try {
                check(lock, System.nanoTime());
                board.give();
            } finally {
                lock.release();
            }
            while (isOn() && board.isVisitorInvited()) {
                LockSupport.parkNanos(POLL_NANOS);
            }
        }
    }

    /**
     * How much longer to stay for a taker that only polls. The taker has polled when it came. So the extra time is
     * different in each cycle, spread evenly over the time until the taker polls again.
     */
    private long pollPart() {
        pollPhase = (pollPhase + GOLDEN) % 1;
        return (long) (pollPhase * job.store().pollInterval().toMillis());
    }

    private void take() throws Exception {
        Locks.CycleLock lock = job.open(locks, job.lock(), number);
        while (isOn()) {
            if (board.isVisitorInvited()) {
                lock.acquire();
                long now = System.nanoTime();
                checkAndRelease(lock, now);
                count(now - board.given());
                board.inviteVisitor(false);
            } else {
                LockSupport.parkNanos(POLL_NANOS);
            }
        }
    }

    private void stay() throws InterruptedException {
        while (isOn()) {
            Thread.sleep(SETTLE_MILLIS);
        }
    }

    /** Does one cycle, of which only the wait is measured. */
    private void comeIn(Locks.CycleLock lock) throws Exception {
        long start = System.nanoTime();
        lock.acquire();
        long waited = System.nanoTime() - start;
        checkAndRelease(lock, start);
        count(waited);
    }

    private void use(Locks.CycleLock lock, long now) throws Exception {
        lock.acquire();
        checkAndRelease(lock, now);
    }

    private void checkAndRelease(Locks.CycleLock lock, long now) throws Exception {
        try {
            check(lock, now);
        } finally {
            lock.release();
        }
    }

    /**
     * Uses the guarded shared memory, which shows whether there is a holder that must not be there. Shows the token
     * only now and then: a ticket has few tokens, so showing the token in each cycle would be a different work.
     */
    private void check(Locks.CycleLock lock, long now) throws InterruptedException {
        board.enter(lock.share());
        if (job.stayMillis() > 0) {
            Thread.sleep(job.stayMillis());
        }
        if (hasToken && (job.contestant().readsToken() || now - lastShown >= SHOW_TOKEN_NANOS)) {
            lastShown = now;
            board.show(lock.token(), lock.share());
        }
        board.leave(lock.share());
    }

    private void count(long nanos) {
        allCycles++;
        if (board.phase() == Scoreboard.MEASURE) {
            cycles++;
            Histograms.record(latencies, nanos);
        }
    }

    private boolean isOn() {
        return board.phase() != Scoreboard.OVER;
    }

    private int who() {
        return job.who() + number;
    }
}
