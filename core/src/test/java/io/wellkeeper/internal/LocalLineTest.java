package io.wellkeeper.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LocalLineTest {

    private static final String NAME = "many";
    private static final Want PERMIT = Want.permits(1, (notice, mine, ahead) -> Size.Reading.UNKNOWN);
    private static final int MOST = 128;
    private static final int TOO_MANY = MOST + 100;
    private static final int THOUSANDS = 20_000;

    private final List<Started> started = Collections.synchronizedList(new ArrayList<>());
    private final AtomicInteger underWay = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();
    private final List<RuntimeException> failures = new ArrayList<>();
    private final List<String> waiting = new ArrayList<>(); // who was told that others have it
    private volatile @Nullable RuntimeException
            refusal; // of the store; then every attempt fails as soon as it is started
    private final LocalLine line = new LocalLine(
            (name, want, mayWait, metadata, listener) -> new Started(metadata.get(), listener),
            MOST,
            Want::isForPermits);

    /** An attempt that ends when it is told to. */
    private final class Started implements Attempt {

        private final String who;
        private final Attempt.Listener listener;
        private final AtomicBoolean counted = new AtomicBoolean();
        private volatile boolean answered;
        private volatile @Nullable Throwable trouble;

        Started(String who, Attempt.Listener listener) {
            this.who = who;
            this.listener = listener;
        }

        @Override
        public void start() {
            RuntimeException failure = refusal;
            if (failure != null) {
                listener.failed(failure);
                return;
            }
            counted.set(true);
            most.accumulateAndGet(underWay.incrementAndGet(), Math::max);
            started.add(this);
        }

        @Override
        public void abandon() {
            uncount();
        }

        private boolean uncount() {
            boolean was = counted.getAndSet(false);
            if (was) {
                underWay.decrementAndGet();
            }
            return was;
        }

        @Override
        public boolean answered() {
            return answered;
        }

        @Override
        public long since() {
            return 0;
        }

        @Override
        public @Nullable Throwable trouble() {
            return trouble;
        }
    }

    /** Notes how an attempt fails. */
    private final class Told implements Attempt.Listener {

        private final String who;

        Told(String who) {
            this.who = who;
        }

        @Override
        public void entered(Grant grant) {}

        @Override
        public void refused() {}

        @Override
        public void failed(RuntimeException reason) {
            failures.add(reason);
        }

        @Override
        public void waiting() {
            waiting.add(who);
        }
    }

    private Attempt attempt(int who) {
        return line.attempt(NAME, PERMIT, true, () -> Integer.toString(who), new Told(Integer.toString(who)));
    }

    private List<Attempt> start(int count) {
        List<Attempt> made = IntStream.range(0, count).mapToObj(this::attempt).toList();
        made.forEach(Attempt::start);
        return made;
    }

    private static void refuse(Started one) {
        if (one.uncount()) {
            one.listener.refused();
        }
    }

    private List<String> names() {
        return started.stream().map(one -> one.who).toList();
    }

    private static List<String> upTo(int count) {
        return IntStream.range(0, count).mapToObj(Integer::toString).toList();
    }

    @Test
    void start_moreThanThereIsRoomFor_waitAndAreStartedFirstComeFirstServed() {
        start(TOO_MANY);
        assertThat(names()).isEqualTo(upTo(MOST));

        for (int i = 0; i < TOO_MANY; i++) {
            refuse(started.get(i));
        }

        assertThat(names()).isEqualTo(upTo(TOO_MANY));
        assertThat(most).hasValue(MOST);
    }

    @Test
    void abandon_ofOneUnderWay_letsTheNextStart() {
        List<Attempt> all = start(MOST + 2);

        all.get(5).abandon();
        all.get(5).abandon();

        assertThat(names()).isEqualTo(upTo(MOST + 1));
    }

    @Test
    void abandon_ofOneThatWaits_isNeverStarted() {
        List<Attempt> all = start(MOST + 2);

        all.get(MOST).abandon();
        refuse(started.get(0));
        refuse(started.get(1));

        assertThat(names()).doesNotContain(Integer.toString(MOST)).hasSize(MOST + 1);
    }

    @Test
    void abandon_beforeTheStart_isNeverStarted() {
        Attempt one = attempt(0);

        one.abandon();
        one.start();

        assertThat(started).isEmpty();
    }

    @Test
    void failed_eachOfThousandsAsSoonAsItIsStarted_doesNotRunOutOfStack() {
        start(THOUSANDS);
        refusal = new IllegalStateException("the store refuses");

        refuse(started.get(0));

        assertThat(failures).hasSize(THOUSANDS - MOST).containsOnly(refusal);
    }

    @Test
    void answered_ofOneThatWaits_isWhatTheFirstUnderWayWasAnswered() {
        List<Attempt> all = start(MOST + 1);
        assertThat(all.get(MOST).answered()).isFalse();

        started.get(0).answered = true;

        assertThat(all.get(MOST).answered()).isTrue();
    }

    /** The thread of the first in line stands still before it has asked. */
    @Test
    void answered_ofOneThatWaitsWhileTheFirstHasNotAsked_isWhatAnotherWasAnswered() {
        List<Attempt> all = start(MOST + 1);

        started.get(MOST - 1).answered = true;

        assertThat(all.get(MOST).answered()).isTrue();
    }

    @Test
    void answered_ofOneThatWaitsWhileTheStoreIsDown_isNotWhatTheFirstWasAnsweredBefore() {
        List<Attempt> all = start(MOST + 1);
        started.forEach(one -> one.answered = true);
        started.forEach(one -> one.trouble = new IllegalStateException("the store is down"));

        assertThat(all.get(MOST).answered()).isFalse();
        assertThat(all.get(MOST).trouble()).hasMessage("the store is down");
        assertThat(all.get(0).answered()).isTrue();
    }

    @Test
    void waiting_ofOneUnderWay_thoseWithoutNumbersWaitForOthersToo() {
        List<Attempt> all = start(MOST + 3);
        all.get(MOST).abandon();

        started.get(0).listener.waiting();
        started.get(1).listener.waiting();

        assertThat(waiting).containsExactly("0", Integer.toString(MOST + 1), Integer.toString(MOST + 2), "1");
    }

    @Test
    void start_behindOneThatWaits_waitsForOthersToo() {
        start(MOST);
        started.get(0).listener.waiting();

        attempt(MOST).start();

        assertThat(waiting).containsExactly("0", Integer.toString(MOST));
    }

    @Test
    void attempt_forSomethingElseThanPermitsOrWithoutWaiting_isNotInLine() {
        start(MOST);

        line.attempt(NAME, Want.LOCK, true, () -> "lock", new Told("")).start();
        line.attempt(NAME, PERMIT, false, () -> "try", new Told("")).start();
        line.attempt("another", PERMIT, true, () -> "other name", new Told("")).start();

        assertThat(names()).endsWith("lock", "try", "other name");
    }

    @Test
    void end_byManyThreads_everyPlaceIsGivenToAnother() throws InterruptedException {
        List<Attempt> all = IntStream.range(0, 4 * MOST).mapToObj(this::attempt).toList();
        List<Thread> threads = IntStream.range(0, 4)
                .mapToObj(seed -> new Thread(() -> startAndEnd(all, new SplittableRandom(seed), seed)))
                .toList();
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }

        for (int i = 0; i < started.size(); i++) { // more are started meanwhile
            refuse(started.get(i));
        }
        assertThat(underWay).hasValue(0);
        assertThat(most).hasValueLessThanOrEqualTo(MOST);
        started.clear();
        start(MOST + 1);
        assertThat(names()).isEqualTo(upTo(MOST));
    }

    /** A quarter of them; some are abandoned, and others of all threads that are under way end by themselves. */
    private void startAndEnd(List<Attempt> all, SplittableRandom random, int quarter) {
        for (int i = quarter; i < all.size(); i += 4) {
            all.get(i).start();
            if (random.nextInt(3) == 0) {
                all.get(random.nextInt(all.size() / 4) * 4 + quarter).abandon();
            } else if (random.nextInt(3) == 0) {
                refuse(started.get(random.nextInt(started.size())));
            }
        }
    }
}
