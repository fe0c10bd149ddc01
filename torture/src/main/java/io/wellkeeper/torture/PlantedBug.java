package io.wellkeeper.torture;

import io.wellkeeper.LockStoreException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Bugs that locks have had. Each can be planted into working locks, to show that torture finds it. */
enum PlantedBug {
    /** No bug: the locks as they are. */
    NONE,
    /** The holder goes on believing what it knew when it was let in. */
    BLIND_HOLDER {
        @Override
        Locks.Grant plant(Locks.Wellkeeper locks, Lock lock, Locks.Grant sound) {
            return new Forwarding(sound) {
                @Override
                public boolean isHeld() {
                    return true;
                }
            };
        }
    },
    /** A release says that all is well, even if the lock was lost. */
    SILENT_RELEASE {
        @Override
        Locks.Grant plant(Locks.Wellkeeper locks, Lock lock, Locks.Grant sound) {
            return new Forwarding(sound) {
                @Override
                public boolean release() {
                    grant.release();
                    return true;
                }
            };
        }
    },
    /** Each process counts its own tokens, from 1. */
    TOKEN_OF_THE_PROCESS {
        private final AtomicLong last = new AtomicLong();

        @Override
        Locks.Grant plant(Locks.Wellkeeper locks, Lock lock, Locks.Grant sound) {
            long token = last.incrementAndGet();
            return new OtherToken(sound, token);
        }
    },
    /** A token is the time in whole seconds. */
    TOKEN_OF_THE_SECOND {
        @Override
        Locks.Grant plant(Locks.Wellkeeper locks, Lock lock, Locks.Grant sound) {
            long token = System.nanoTime() / Duration.ofSeconds(1).toNanos();
            return new OtherToken(sound, token);
        }
    },
    /** Writers come in beside readers, and beside each other. */
    SHARED_WRITER {
        @Override
        Optional<Locks.Grant> acquire(Locks.Wellkeeper locks, Lock lock, int permits, Optional<Duration> timeout)
                throws InterruptedException {
            boolean writer = lock.primitive() == Lock.Primitive.READ_WRITE;
            return locks.acquire(lock, writer ? 1 : permits, timeout);
        }
    },
    /** Now and then a release is carried out six seconds later. */
    SLOW_RELEASE {
        private final AtomicInteger releases = new AtomicInteger();

        @Override
        Locks.Grant plant(Locks.Wellkeeper locks, Lock lock, Locks.Grant sound) {
            return new Forwarding(sound) {
                @Override
                public boolean release() {
                    if (releases.incrementAndGet() % 10 != 0) {
                        return grant.release();
                    }
                    CompletableFuture.delayedExecutor(6, TimeUnit.SECONDS).execute(grant::release);
                    return true;
                }
            };
        }
    },
    /** A client that finds the lock free takes it, without checking whether another client does the same. */
    CHECK_THEN_ACT {
        @Override
        Optional<Locks.Grant> acquire(Locks.Wellkeeper locks, Lock lock, int permits, Optional<Duration> timeout)
                throws InterruptedException {
            boolean free = locks.client().admin().inspect(lock.name()).holders().isEmpty();
            Lock chosen = free ? Lock.mutex(lock.name() + "/" + System.nanoTime(), true) : lock;
            return locks.acquire(chosen, permits, timeout);
        }
    },
    /** One request of ten goes to another lock. */
    WRONG_NAME {
        private final AtomicInteger calls = new AtomicInteger();

        @Override
        Optional<Locks.Grant> acquire(Locks.Wellkeeper locks, Lock lock, int permits, Optional<Duration> timeout)
                throws InterruptedException {
            boolean wrong = calls.incrementAndGet() % 10 == 0;
            return locks.acquire(wrong ? Lock.mutex(lock.name() + "%2F", true) : lock, permits, timeout);
        }
    },
    /** A wait ends two seconds after its timeout. */
    LATE_DEADLINE {
        @Override
        Optional<Locks.Grant> acquire(Locks.Wellkeeper locks, Lock lock, int permits, Optional<Duration> timeout)
                throws InterruptedException {
            Optional<Locks.Grant> grant = locks.acquire(lock, permits, timeout);
            if (grant.isEmpty()) {
                TimeUnit.SECONDS.sleep(2);
            }
            return grant;
        }
    },
    /** A wait gives up after half of its timeout. */
    EARLY_DEADLINE {
        @Override
        Optional<Locks.Grant> acquire(Locks.Wellkeeper locks, Lock lock, int permits, Optional<Duration> timeout)
                throws InterruptedException {
            return locks.acquire(lock, permits, timeout.map(time -> time.dividedBy(2)));
        }
    },
    /** Now and then a release is sent twice, and the second one takes the lock away from the next holder. */
    UNLOCK_TWICE {
        private final AtomicInteger releases = new AtomicInteger();

        @Override
        Locks.Grant plant(Locks.Wellkeeper locks, Lock lock, Locks.Grant sound) {
            return new Forwarding(sound) {
                @Override
                public boolean release() {
                    boolean inTime = grant.release();
                    if (releases.incrementAndGet() % 10 == 0) {
                        locks.client().admin().breakLock(lock.name(), "released again");
                    }
                    return inTime;
                }
            };
        }
    },
    /** A release frees the lock with this name, even if another client holds it by then. */
    RELEASE_BY_NAME {
        private static final int TRIES = 50;
        private static final long PAUSE_NANOS = 10_000_000;

        @Override
        Locks.Grant plant(Locks.Wellkeeper locks, Lock lock, Locks.Grant sound) {
            return new Forwarding(sound) {
                @Override
                public boolean release() {
                    boolean inTime = grant.release();
                    if (!inTime) {
                        free();
                    }
                    return inTime;
                }

                private void free() {
                    for (int i = 0; i < TRIES; i++) {
                        try {
                            locks.client().admin().breakLock(lock.name(), "released by name");
                            return;
                        } catch (LockStoreException failed) { // a new session is about to begin
                            LockSupport.parkNanos(PAUSE_NANOS);
                        }
                    }
                }
            };
        }
    },
    /** The locks of dead clients stay locked eight times as long as the session timeout says. */
    LONG_SESSION {
        @Override
        Duration sessionTimeout(Duration asked) {
            return asked.multipliedBy(8);
        }
    },
    /** The holder asks the store whether it holds the lock. */
    ASKS_THE_STORE {
        @Override
        Locks.Grant plant(Locks.Wellkeeper locks, Lock lock, Locks.Grant sound) {
            return new Forwarding(sound) {
                @Override
                public boolean isHeld() {
                    try {
                        return !locks.client()
                                        .admin()
                                        .inspect(lock.name())
                                        .holders()
                                        .isEmpty()
                                && grant.isHeld();
                    } catch (LockStoreException silent) {
                        return false;
                    }
                }
            };
        }
    },
    /** The holder counts its time from the answer to a renewal, however late that came, and not from the sending. */
    LATE_CLOCK {
        @Override
        Locks.Grant plant(Locks.Wellkeeper locks, Lock lock, Locks.Grant sound) {
            return new Forwarding(sound) {
                private volatile long known = System.nanoTime();

                @Override
                public boolean isHeld() {
                    long now = System.nanoTime();
                    if (grant.isHeld()) {
                        known = now;
                    }
                    return now - known < TimeUnit.SECONDS.toNanos(1);
                }
            };
        }
    },
    /**
     * The holder measures by the time of day for how long it has held, and believes after a minute that the lock is
     * lost.
     */
    TIME_OF_DAY {
        @Override
        Locks.Grant plant(Locks.Wellkeeper locks, Lock lock, Locks.Grant sound) {
            return new Forwarding(sound) {
                private final long granted = System.currentTimeMillis();

                @Override
                public boolean isHeld() {
                    return isYoung() && grant.isHeld();
                }

                @Override
                public boolean release() {
                    return grant.release() && isYoung();
                }

                private boolean isYoung() {
                    return System.currentTimeMillis() - granted < TimeUnit.MINUTES.toMillis(1);
                }
            };
        }
    },
    /** The holder is told of a loss three seconds late. */
    LATE_NEWS {
        @Override
        Locks.Grant plant(Locks.Wellkeeper locks, Lock lock, Locks.Grant sound) {
            return new Forwarding(sound) {
                @Override
                public void onLost(Runnable told) {
                    grant.onLost(() -> CompletableFuture.delayedExecutor(3, TimeUnit.SECONDS)
                            .execute(told));
                }
            };
        }
    },
    /** Now and then a holder is told that it has lost a lock that it still has. */
    FALSE_ALARM {
        private final AtomicInteger grants = new AtomicInteger();

        @Override
        Locks.Grant plant(Locks.Wellkeeper locks, Lock lock, Locks.Grant sound) {
            return new Forwarding(sound) {
                @Override
                public void onLost(Runnable told) {
                    if (grants.incrementAndGet() % 10 == 0) {
                        told.run();
                    }
                }
            };
        }
    },
    /** Now and then a waiter that is let in does not notice it for six seconds: its wake-up was lost. */
    LOST_WAKE_UP {
        private final AtomicInteger grants = new AtomicInteger();

        @Override
        Optional<Locks.Grant> acquire(Locks.Wellkeeper locks, Lock lock, int permits, Optional<Duration> timeout)
                throws InterruptedException {
            Optional<Locks.Grant> grant = locks.acquire(lock, permits, timeout);
            if (timeout.isEmpty() && grants.incrementAndGet() % 10 == 0) {
                TimeUnit.SECONDS.sleep(6);
            }
            return grant;
        }
    },
    /** A wait cannot be interrupted. */
    DEAF_TO_INTERRUPTS {
        @Override
        Optional<Locks.Grant> acquire(Locks.Wellkeeper locks, Lock lock, int permits, Optional<Duration> timeout)
                throws InterruptedException {
            boolean interrupted = false;
            while (true) {
                try {
                    Optional<Locks.Grant> grant = locks.acquire(lock, permits, timeout);
                    if (interrupted) {
                        TimeUnit.SECONDS.sleep(2); // as long as other holders may have had the lock
                    }
                    return grant;
                } catch (InterruptedException ignored) {
                    interrupted = true;
                }
            }
        }
    },
    /** Now and then a request is delayed for two seconds before it gets its place in the queue. */
    LATE_PLACE {
        private final AtomicInteger calls = new AtomicInteger();

        @Override
        Optional<Locks.Grant> acquire(Locks.Wellkeeper locks, Lock lock, int permits, Optional<Duration> timeout)
                throws InterruptedException {
            if (lock.strict() && timeout.isEmpty() && calls.incrementAndGet() % 10 == 0) {
                TimeUnit.SECONDS.sleep(2);
            }
            return locks.acquire(lock, permits, timeout);
        }
    },
    /** A request for several permits takes one less. */
    FEWER_PERMITS {
        @Override
        Optional<Locks.Grant> acquire(Locks.Wellkeeper locks, Lock lock, int permits, Optional<Duration> timeout)
                throws InterruptedException {
            boolean several = lock.primitive() == Lock.Primitive.SEMAPHORE && permits > 1;
            return locks.acquire(lock, several ? permits - 1 : permits, timeout);
        }
    },
    /** A semaphore has one permit more for some requests than for others. */
    OTHER_SIZE {
        private final AtomicInteger calls = new AtomicInteger();

        @Override
        Optional<Locks.Grant> acquire(Locks.Wellkeeper locks, Lock lock, int permits, Optional<Duration> timeout)
                throws InterruptedException {
            boolean other = lock.primitive() == Lock.Primitive.SEMAPHORE && calls.incrementAndGet() % 2 == 0;
            return locks.acquire(
                    other ? Lock.semaphore(lock.name() + "/larger", lock.permits()) : lock, permits, timeout);
        }
    },
    /** Readers do not look whether there is a writer. */
    BLIND_READER {
        private final AtomicInteger calls = new AtomicInteger();

        @Override
        Optional<Locks.Grant> acquire(Locks.Wellkeeper locks, Lock lock, int permits, Optional<Duration> timeout)
                throws InterruptedException {
            boolean blind = lock.primitive() == Lock.Primitive.READ_WRITE
                    && permits < lock.permits()
                    && calls.incrementAndGet() % 4 == 0;
            return locks.acquire(blind ? Lock.readWrite(lock.name() + "/readers") : lock, permits, timeout);
        }
    },
    /** The token of a lock is remembered, and given to the next holder too. */
    REMEMBERED_TOKEN {
        private final Map<String, Long> tokens = new ConcurrentHashMap<>();

        @Override
        Locks.Grant plant(Locks.Wellkeeper locks, Lock lock, Locks.Grant sound) {
            long token = sound.token();
            long remembered = tokens.merge(lock.name(), token, (before, now) -> now % 4 == 0 ? now : before);
            return new OtherToken(sound, remembered);
        }
    },
    /** Tokens are the last digits of a growing number. */
    SHORT_TOKEN {
        @Override
        Locks.Grant plant(Locks.Wellkeeper locks, Lock lock, Locks.Grant sound) {
            return new OtherToken(sound, Math.floorMod(sound.token(), 1_009L));
        }
    },
    /** Now and then an acquisition fails for no reason. */
    FAILURE {
        private final AtomicInteger calls = new AtomicInteger();

        @Override
        Optional<Locks.Grant> acquire(Locks.Wellkeeper locks, Lock lock, int permits, Optional<Duration> timeout)
                throws InterruptedException {
            if (calls.incrementAndGet() % 10 == 0) {
                throw new LockStoreException("the connection was used by somebody else");
            }
            return locks.acquire(lock, permits, timeout);
        }
    },
    /** A request that fails at the store is granted all the same. */
    FAIL_OPEN {
        private final AtomicLong largest = new AtomicLong();

        @Override
        Optional<Locks.Grant> acquire(Locks.Wellkeeper locks, Lock lock, int permits, Optional<Duration> timeout)
                throws InterruptedException {
            try {
                Optional<Locks.Grant> grant = locks.acquire(lock, permits, timeout);
                grant.ifPresent(sound -> largest.accumulateAndGet(sound.token(), Math::max));
                return grant;
            } catch (LockStoreException refused) {
                return Optional.of(new Unasked(largest.incrementAndGet()));
            }
        }
    },
    /** Each client leaves a thread behind. */
    LEAKED_THREAD {
        private final AtomicBoolean leaked = new AtomicBoolean();

        @Override
        Optional<Locks.Grant> acquire(Locks.Wellkeeper locks, Lock lock, int permits, Optional<Duration> timeout)
                throws InterruptedException {
            if (leaked.compareAndSet(false, true)) {
                Thread thread = new Thread(new CompletableFuture<Void>()::join, "wellkeeper-leaked");
                thread.setDaemon(true);
                thread.start();
            }
            return locks.acquire(lock, permits, timeout);
        }
    };

    Locks.Grant plant(Locks.Wellkeeper locks, Lock lock, Locks.Grant sound) {
        return sound;
    }

    Optional<Locks.Grant> acquire(Locks.Wellkeeper locks, Lock lock, int permits, Optional<Duration> timeout)
            throws InterruptedException {
        return locks.acquire(lock, permits, timeout);
    }

    /** The session timeout that a client with this bug has if this one was asked for. */
    Duration sessionTimeout(Duration asked) {
        return asked;
    }

    /** The name of this bug in the name of a lock. */
    String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Locks, each with the bug that is planted into it. */
    static Locks in(Locks.Wellkeeper sound) {
        return new Locks() {
            @Override
            public Optional<Grant> acquire(Lock lock, int permits, Optional<Duration> timeout)
                    throws InterruptedException {
                PlantedBug bug = lock.bug();
                return bug.acquire(sound, lock, permits, timeout).map(grant -> bug.plant(sound, lock, grant));
            }

            @Override
            public boolean countDown(String name) {
                return sound.countDown(name);
            }

            @Override
            public CompletableFuture<?> burst(String name, int requests) {
                return sound.burst(name, requests);
            }

            @Override
            public void close() {
                sound.close();
            }
        };
    }

    private abstract static class Forwarding implements Locks.Grant {

        final Locks.Grant grant;

        Forwarding(Locks.Grant grant) {
            this.grant = grant;
        }

        @Override
        public long token() {
            return grant.token();
        }

        @Override
        public boolean isHeld() {
            return grant.isHeld();
        }

        @Override
        public void onLost(Runnable told) {
            grant.onLost(told);
        }

        @Override
        public boolean release() {
            return grant.release();
        }
    }

    /** A grant that the store has not given. */
    private record Unasked(long token) implements Locks.Grant {

        @Override
        public boolean isHeld() {
            return true;
        }

        @Override
        public void onLost(Runnable told) {
            // the store knows of no such grant, so no loss is told
        }

        @Override
        public boolean release() {
            return true;
        }
    }

    private static final class OtherToken extends Forwarding {

        private final long token;

        OtherToken(Locks.Grant grant, long token) {
            super(grant);
            this.token = token;
        }

        @Override
        public long token() {
            return token;
        }
    }
}
