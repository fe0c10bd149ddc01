package io.wellkeeper.internal;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets only so many waiters of one client for one name ask the store at a time; the others wait here, first come first
 * served. A client that takes a number in a queue is shown all tickets ahead of it, and a waiter for a lease asks again
 * whenever one is released. So without this class the cost of many waiters would grow with the square of their number.
 * Nothing else depends on it.
 */
final class LocalLine implements Contender {

    private final Contender store;
    private final int most;
    private final Predicate<Want> crowds;
    private final Monitor lock = new Monitor(); // guards the lanes, and the stages of their members
    private final Map<String, Lane> lanes = new HashMap<>();

    /**
     * @param most how many attempts for one name may be under way
     * @param crowds tells the wants for which many may wait, each with an attempt of its own
     */
    LocalLine(Contender store, int most, Predicate<Want> crowds) {
        this.store = store;
        this.most = most;
        this.crowds = crowds;
    }

    /** The attempts for one name. */
    private static final class Lane {

        private final Set<Member> underWay = new LinkedHashSet<>();
        private final Set<Member> waiting = new LinkedHashSet<>();
        private final Set<Member> untold = new LinkedHashSet<>(); // members that wait and have not been told so
        private final Queue<Member> next = new ConcurrentLinkedQueue<>(); // to be started
        private final AtomicInteger starting =
                new AtomicInteger(); // the size of next, and one more while one is being started

        /** Whether an attempt under way waits for others: then so do all attempts behind it. */
        boolean isContended() {
            return underWay.stream().anyMatch(member -> member.waits);
        }

        /**
         * An attempt under way that the store has answered, or else the one that has been under way for the longest
         * time.
         */
        Attempt mostTelling() {
            return underWay.stream()
                    .map(member -> member.attempt)
                    .filter(Attempt::answered)
                    .findFirst()
                    .orElseGet(() -> underWay.iterator().next().attempt);
        }
    }

    private enum Stage {
        NEW,
        WAITING,
        UNDER_WAY,
        OVER
    }

    @Override
    public Attempt attempt(
            String name, Want want, boolean mayWait, Supplier<String> metadata, Attempt.Listener listener) {
        if (!mayWait || !crowds.test(want)) {
            return store.attempt(name, want, mayWait, metadata, listener);
        }
        return new Member(name, told -> store.attempt(name, want, true, metadata, told), listener);
    }

    /** The place of an attempt that was under way is free: the first waiting one gets it. */
    private void replace(Member gone) {
        Lane lane;
        Member first;
        lock.lock();
        try {
            lane = lane(gone.name);
            lane.underWay.remove(gone);
            if (lane.waiting.isEmpty()) {
                if (lane.underWay.isEmpty()) {
                    lanes.remove(gone.name);
                }
                return;
            }
            first = lane.waiting.iterator().next();
            lane.waiting.remove(first);
            lane.untold.remove(first);
            lane.underWay.add(first);
            first.stage = Stage.UNDER_WAY;
        } finally {
            lock.unlock();
        }
        start(lane, first);
    }

    /**
     * Starts an attempt that has waited, but not within the start of another one. An attempt may end at once and have
     * the next one started, and there may be thousands.
     */
    private static void start(Lane lane, Member member) {
        lane.next.add(member);
        if (lane.starting.getAndIncrement() == 0) {
            do {
                lane.next.remove().attempt.start();
            } while (lane.starting.decrementAndGet() > 0);
        }
    }

    /** The lane of a name that has one. */
    private Lane lane(String name) {
        return Objects.requireNonNull(lanes.get(name));
    }

    /** An attempt, and the listener that is told how it ends. */
    private final class Member implements Attempt, Attempt.Listener {

        private final String name;
        private final Attempt attempt;
        private final Attempt.Listener listener;
        private Stage stage = Stage.NEW;
        private boolean waits; // for others, as the store has said

        Member(String name, Function<Attempt.Listener, Attempt> attempt, Attempt.Listener listener) {
            this.name = name;
            this.listener = listener;
            this.attempt = attempt.apply(this);
        }

        @Override
        public void start() {
            boolean room;
            boolean contended;
            lock.lock();
            try {
                if (stage != Stage.NEW) {
                    return;
                }
                Lane lane = lanes.computeIfAbsent(name, unused -> new Lane());
                room = lane.underWay.size() < most;
                contended = lane.isContended();
                (room ? lane.underWay : lane.waiting).add(this);
                stage = room ? Stage.UNDER_WAY : Stage.WAITING;
                if (!room && !contended) {
                    lane.untold.add(this);
                }
            } finally {
                lock.unlock();
            }
            if (room) {
                attempt.start();
            } else if (contended) {
                listener.waiting();
            }
        }

        @Override
        public void abandon() {
            attempt.abandon();
            end();
        }

        private void end() {
            Stage before;
            lock.lock();
            try {
                before = stage;
                stage = Stage.OVER;
                if (before == Stage.WAITING) {
                    lane(name).waiting.remove(this);
                    lane(name).untold.remove(this);
                }
            } finally {
                lock.unlock();
            }
            if (before == Stage.UNDER_WAY) {
                replace(this);
            }
        }

        private void endAfter(Runnable told) {
            try {
                told.run();
            } finally {
                end();
            }
        }

        @Override
        public void entered(Grant grant) {
            endAfter(() -> listener.entered(grant));
        }

        @Override
        public void refused() {
            endAfter(() -> listener.refused());
        }

        @Override
        public void failed(RuntimeException reason) {
            endAfter(() -> listener.failed(reason));
        }

        /** A member that has no number yet will be behind this one, and so waits for others, too. */
        @Override
        public void waiting() {
            listener.waiting();
            List<Member> behind = List.of();
            lock.lock();
            try {
                waits = true;
                if (stage == Stage.UNDER_WAY) {
                    behind = List.copyOf(lane(name).untold);
                    lane(name).untold.clear();
                }
            } finally {
                lock.unlock();
            }
            behind.forEach(member -> member.listener.waiting());
        }

        @Override
        public void describe(String metadata) {
            attempt.describe(metadata);
        }

        @Override
        public boolean answered() {
            Attempt asking = asking();
            return asking.answered() && (asking == attempt || asking.trouble() == null);
        }

        @Override
        public long since() {
            return asking().since();
        }

        @Override
        public @Nullable Throwable trouble() {
            return asking().trouble();
        }

        /** This attempt; or, while it waits, one that is under way and shows whether the store answers. */
        private Attempt asking() {
            lock.lock();
            try {
                return stage == Stage.WAITING ? lane(name).mostTelling() : attempt;
            } finally {
                lock.unlock();
            }
        }
    }
}
