package io.wellkeeper.torture;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Bugs that locks have had, each planted into locks that work, to show that torture finds them. */
enum PlantedBug {
    /** None: the locks as they are. */
    NONE,
    /** The holder believes what it knew when it was let in. */
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
    /** A release says that all is well whatever has happened. */
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
    /** Tokens are counted by each process for itself, from 1. */
    TOKEN_OF_THE_PROCESS {
        private final AtomicLong last = new AtomicLong();

        @Override
        Locks.Grant plant(Locks.Wellkeeper locks, Lock lock, Locks.Grant sound) {
            long token = last.incrementAndGet();
            return new Forwarding(sound) {
                @Override
                public long token() {
                    return token;
                }
            };
        }
    },
    /** A token is the time in whole seconds. */
    TOKEN_OF_THE_SECOND {
        @Override
        Locks.Grant plant(Locks.Wellkeeper locks, Lock lock, Locks.Grant sound) {
            long token = System.nanoTime() / Duration.ofSeconds(1).toNanos();
            return new Forwarding(sound) {
                @Override
                public long token() {
                    return token;
                }
            };
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
                    if (releases.incrementAndGet() % 20 != 0) {
                        return grant.release();
                    }
                    CompletableFuture.delayedExecutor(6, TimeUnit.SECONDS).execute(grant::release);
                    return true;
                }
            };
        }
    },
    /** Whoever finds the lock free takes it, without a look at who else does. */
    CHECK_THEN_ACT {
        @Override
        Optional<Locks.Grant> acquire(Locks.Wellkeeper locks, Lock lock, int permits, Optional<Duration> timeout)
                throws InterruptedException {
            boolean free = locks.client().inspect(lock.name()).holders().isEmpty();
            Lock chosen = free ? Lock.mutex(lock.name() + "/" + System.nanoTime(), true) : lock;
            return locks.acquire(chosen, permits, timeout);
        }
    },
    /** One in ten goes to another lock. */
    WRONG_NAME {
        private final AtomicInteger calls = new AtomicInteger();

        @Override
        Optional<Locks.Grant> acquire(Locks.Wellkeeper locks, Lock lock, int permits, Optional<Duration> timeout)
                throws InterruptedException {
            boolean wrong = calls.incrementAndGet() % 10 == 0;
            return locks.acquire(wrong ? Lock.mutex(lock.name() + "%2F", true) : lock, permits, timeout);
        }
    },
    /** A wait whose time is over ends two seconds later. */
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
    /** A wait gives up when half of its time is over. */
    EARLY_DEADLINE {
        @Override
        Optional<Locks.Grant> acquire(Locks.Wellkeeper locks, Lock lock, int permits, Optional<Duration> timeout)
                throws InterruptedException {
            return locks.acquire(lock, permits, timeout.map(time -> time.dividedBy(2)));
        }
    };

    Locks.Grant plant(Locks.Wellkeeper locks, Lock lock, Locks.Grant sound) {
        return sound;
    }

    Optional<Locks.Grant> acquire(Locks.Wellkeeper locks, Lock lock, int permits, Optional<Duration> timeout)
            throws InterruptedException {
        return locks.acquire(lock, permits, timeout);
    }

    /** How it is written on a command line. */
    String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Locks with this bug. */
    Locks in(Locks.Wellkeeper sound) {
        return new Locks() {
            @Override
            public Optional<Grant> acquire(Lock lock, int permits, Optional<Duration> timeout)
                    throws InterruptedException {
                return PlantedBug.this.acquire(sound, lock, permits, timeout).map(grant -> plant(sound, lock, grant));
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
}
