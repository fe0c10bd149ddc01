package io.wellkeeper.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wellkeeper.Held;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockLostException;
import io.wellkeeper.MultiLockHandle;
import io.wellkeeper.Participant;
import io.wellkeeper.Permits;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** What a guarded method is to its caller, to itself, and to others. */
class LockedCallTest extends ContextTest {

    @Configuration(proxyBeanMethods = false)
    @EnableLocked
    @Import({Works.class, Inner.class})
    static class Guarded {}

    /** Guarded methods, which do what the test says. */
    static class Works {

        @Locked("plain")
        public <T> T plain(Callable<T> work) throws Exception {
            return work.call();
        }

        @Locked(value = "plain", waitFor = "20ms")
        public void brief() {}

        @Locked(value = "plain", onBusy = Locked.OnBusy.SKIP)
        public void skipVoid(Runnable work) {
            work.run();
        }

        @Locked(value = "plain", onBusy = Locked.OnBusy.SKIP)
        public boolean skipBoolean() {
            return true;
        }

        @Locked(value = "plain", onBusy = Locked.OnBusy.SKIP)
        public Optional<String> skipOptional() {
            return Optional.of("done");
        }

        @Locked(value = "table", mode = Locked.Mode.READ)
        public <T> T read(Callable<T> work) throws Exception {
            return work.call();
        }

        @Locked(value = "table", mode = Locked.Mode.WRITE)
        public <T> T write(Callable<T> work) throws Exception {
            return work.call();
        }

        @Locked(value = "erp", mode = Locked.Mode.PERMITS, permits = "2")
        public <T> T permitted(Callable<T> work) throws Exception {
            return work.call();
        }

        @Locked({"account/#{#from}", "account/#{#to}"})
        public <T> T transfer(long from, long to, Callable<T> work) throws Exception {
            return work.call();
        }

        @Locked({"account/#{#from}", "account/#{#to}"})
        public Map<String, Long> tokens(long from, long to, MultiLockHandle both) {
            assertThat(both.isHeld()).isTrue();
            assertThat(both.remaining()).isPositive();
            return both.fencingTokens();
        }

        @Locked("account/#{#id}")
        public <T> T account(long id, Callable<T> work) throws Exception {
            return work.call();
        }

        @Locked("token/#{#id}")
        public long token(long id, LockHandle handle, @FencingToken long token) {
            assertThat(handle.name()).isEqualTo("token/" + id);
            assertThat(handle.fencingToken()).isEqualTo(token);
            assertThat(CurrentLock.fencingToken()).isEqualTo(token);
            return token;
        }
    }

    /** What another bean does, within a guarded method. */
    static class Inner {

        @Locked("plain")
        public long token(@FencingToken long token) {
            return token;
        }
    }

    private Works works(AnnotationConfigApplicationContext context) {
        return context.getBean(Works.class);
    }

    @Test
    void call_whileItRuns_excludesOthers_andNotAfterwards() throws Exception {
        Works works = works(start(Guarded.class));

        boolean held = works.plain(() -> isHeld("plain"));

        assertThat(held).isTrue();
        awaitFree("plain");
    }

    @Test
    void call_thatThrows_releases_andThrowsTheSame() {
        Works works = works(start(Guarded.class));
        Exception own = new Exception("own");

        assertThatThrownBy(() -> works.plain(() -> {
                    throw own;
                }))
                .isSameAs(own);
        awaitFree("plain");
    }

    @Test
    void call_lockIsTaken_waitsForIt() throws Exception {
        Works works = works(start(Guarded.class));
        LockHandle taken = acquire(elsewhere(), "plain");
        CompletableFuture<String> call = fork(() -> works.plain(() -> "in"));
        awaitQueue("plain", 2);

        taken.close();

        assertThat(get(call)).isEqualTo("in");
    }

    @Test
    void call_lockIsTakenForLongerThanItWaits_throws() {
        Works works = works(start(Guarded.class));
        LockHandle taken = acquire(elsewhere(), "plain");

        assertThatExceptionOfType(LockNotAcquiredException.class)
                .isThrownBy(works::brief)
                .withMessageContainingAll("Works.brief()", "plain", "PT0.02S")
                .satisfies(thrown -> assertThat(thrown.names()).containsExactly("plain"));
        taken.close();
    }

    @Test
    void call_lockIsTaken_isSkippedIfItSaysSo() {
        Works works = works(start(Guarded.class));
        LockHandle taken = acquire(elsewhere(), "plain");
        CompletableFuture<Void> ran = new CompletableFuture<>();

        works.skipVoid(() -> ran.complete(null));

        assertThat(ran).isNotDone();
        assertThat(works.skipBoolean()).isFalse();
        assertThat(works.skipOptional()).isEmpty();
        taken.close();
        awaitFree("plain");
        works.skipVoid(() -> ran.complete(null));
        assertThat(ran).isDone();
        awaitFree("plain");
        assertThat(works.skipBoolean()).isTrue();
        awaitFree("plain");
        assertThat(works.skipOptional()).contains("done");
    }

    @Test
    void call_threadIsInterruptedWhileItWaits_throws_andStaysInterrupted() {
        Works works = works(start(Guarded.class));
        LockHandle taken = acquire(elsewhere(), "plain");
        Thread.currentThread().interrupt();

        assertThatExceptionOfType(LockNotAcquiredException.class)
                .isThrownBy(() -> works.plain(() -> "in"))
                .withCauseInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isTrue();
        taken.close();
    }

    @Test
    void call_lockWasLostMeanwhile_throwsWhenItReturns() {
        AnnotationConfigApplicationContext context = start(Guarded.class);
        LockClient client = context.getBean(LockClient.class);

        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> works(context).plain(() -> {
                    loseSession(client);
                    assertThatExceptionOfType(LockLostException.class).isThrownBy(CurrentLock::assertHeld);
                    return "done";
                }));
    }

    @Test
    void call_lockWasLostAndItThrows_throwsItsOwn() {
        AnnotationConfigApplicationContext context = start(Guarded.class);
        Exception own = new Exception("own");

        assertThatThrownBy(() -> works(context).plain(() -> {
                    loseSession(context.getBean(LockClient.class));
                    throw own;
                }))
                .isSameAs(own)
                .satisfies(thrown ->
                        assertThat(thrown.getSuppressed()).singleElement().isInstanceOf(LockLostException.class));
    }

    @Test
    void call_ofTheSameLockWithinIt_sharesTheHold() throws Exception {
        AnnotationConfigApplicationContext context = start(Guarded.class);
        Inner inner = context.getBean(Inner.class);

        long[] tokens = works(context).plain(() -> {
            long before = CurrentLock.fencingToken();
            long within = inner.token(0);
            assertThat(isHeld("plain")).isTrue();
            CurrentLock.assertHeld();
            return new long[] {before, within};
        });

        assertThat(tokens[1]).isEqualTo(tokens[0]);
        awaitFree("plain");
    }

    @Test
    void call_ofTheSameLockWithinIt_afterALoss_throws() {
        AnnotationConfigApplicationContext context = start(Guarded.class);
        Inner inner = context.getBean(Inner.class);

        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> works(context).plain(() -> {
                    loseSession(context.getBean(LockClient.class));
                    assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> inner.token(0));
                    return "done";
                }));
    }

    @Test
    void readers_areInTogether_andKeepAWriterOut() throws Exception {
        Works here = works(start(Guarded.class));
        Works there = works(start(Guarded.class));
        CompletableFuture<String> writer = new CompletableFuture<>();

        String both = here.read(() -> {
            String other = get(fork(() -> there.read(() -> "both in")));
            fork(() -> there.write(() -> writer.complete("written")));
            awaitQueue("table", 2);
            assertThat(writer).isNotDone();
            return other;
        });

        assertThat(both).isEqualTo("both in");
        assertThat(get(writer)).isEqualTo("written");
    }

    @Test
    void writer_whoReads_doesNotWaitForItself() throws Exception {
        Works works = works(start(Guarded.class));

        assertThat(works.write(() -> works.read(() -> works.write(() -> "in")))).isEqualTo("in");
    }

    @Test
    void reader_whoWrites_isRefused() {
        Works works = works(start(Guarded.class));

        assertThatIllegalStateException()
                .isThrownBy(() -> works.read(() -> works.write(() -> "in")))
                .withMessageContaining("wait for itself");
        awaitFree("table");
    }

    @Test
    void permits_letInAsManyAsThereAre_andOneThreadOnce() throws Exception {
        Works works = works(start(Guarded.class));
        LockClient other = elsewhere();

        works.permitted(() -> works.permitted(() -> {
            try (Permits second = other.semaphore("erp", 2).tryAcquire().orElseThrow()) {
                assertThat(other.semaphore("erp", 2).tryAcquire()).isEmpty();
                return second.count();
            }
        }));

        awaitFree("erp");
    }

    @Test
    void severalNames_areHeldTogether_andOneTwiceCountsOnce() throws Exception {
        Works works = works(start(Guarded.class));

        List<Boolean> held =
                works.transfer(17, 42, () -> List.of(isHeld("account/17"), isHeld("account/42"), isHeld("account/1")));
        String alone = works.transfer(1, 1, () -> "alone");

        assertThat(held).containsExactly(true, true, false);
        assertThat(alone).isEqualTo("alone");
        assertThat(works.tokens(2, 3, null)).containsOnlyKeys("account/2", "account/3");
        assertThat(works.tokens(4, 4, null)).containsOnlyKeys("account/4");
    }

    @Test
    void severalNames_withinAnother_areSharedIfAllAreHeld_andRefusedIfSomeAre() throws Exception {
        Works works = works(start(Guarded.class));

        Map<String, Long> tokens = works.account(1, () -> works.account(2, () -> works.tokens(1, 2, null)));

        assertThat(tokens).containsOnlyKeys("account/1", "account/2");
        assertThatIllegalStateException()
                .isThrownBy(() -> works.account(1, () -> works.transfer(1, 2, () -> "in")))
                .withMessageContaining("order of names");
        assertThat(works.transfer(1, 2, () -> works.account(2, CurrentLock::fencingToken)))
                .isPositive();
        awaitFree("account/1");
        awaitFree("account/2");
    }

    @Test
    void parameters_forWhatIsHeld_areFilledIn_withTokensThatGrow() {
        Works works = works(start(Guarded.class));

        long first = works.token(7, null, 0);
        long second = works.token(7, null, 0);

        assertThat(second).isGreaterThan(first);
    }

    @Test
    void currentLock_isThatOfTheInnermostCall_andCannotBeClosed() throws Exception {
        Works works = works(start(Guarded.class));

        works.account(
                1,
                () -> works.plain(() -> {
                    CurrentLock.assertHeld("account/1");
                    CurrentLock.assertHeld("plain");
                    assertThatIllegalStateException()
                            .isThrownBy(() -> CurrentLock.assertHeld("account/2"))
                            .withMessageContaining("account/2");
                    Held current = CurrentLock.find().orElseThrow();
                    assertThat(current)
                            .isInstanceOfSatisfying(
                                    LockHandle.class,
                                    handle -> assertThat(handle.name()).isEqualTo("plain"));
                    assertThatExceptionOfType(UnsupportedOperationException.class)
                            .isThrownBy(current::close);
                    return "done";
                }));

        assertThat(CurrentLock.find()).isEmpty();
        assertThatIllegalStateException().isThrownBy(CurrentLock::assertHeld).withMessageContaining("proxy");
    }

    @Test
    void currentLock_ofSeveralNames_hasNoSingleToken() throws Exception {
        Works works = works(start(Guarded.class));

        works.transfer(1, 2, () -> {
            assertThatIllegalStateException()
                    .isThrownBy(CurrentLock::fencingToken)
                    .withMessageContaining("several names");
            return "done";
        });
    }

    @Test
    void currentLock_tellsOfALossOnce_andOfRevocation() throws Exception {
        AnnotationConfigApplicationContext context = start(Guarded.class);
        Works works = works(context);
        CompletableFuture<String> asked = new CompletableFuture<>();
        LockClient operator = elsewhere();

        works.plain(() -> {
            CurrentLock.find().orElseThrow().onRevocationRequested((by, reason) -> asked.complete(reason));
            operator.admin().requestRevocation("plain", "maintenance");
            return get(asked);
        });

        CompletableFuture<Void> lost = new CompletableFuture<>();
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> works.account(
                        1,
                        () -> works.transfer(1, 1, () -> {
                            CurrentLock.find().orElseThrow().onLost(() -> lost.complete(null));
                            loseSession(context.getBean(LockClient.class));
                            return get(lost);
                        })));
    }

    @Test
    void whoeverLooks_isShownTheMethod() throws Exception {
        Works works = works(start(Guarded.class));

        String reason = works.plain(() -> elsewhere().admin().inspect("plain").holders().stream()
                .map(Participant::reason)
                .findFirst()
                .orElseThrow());

        assertThat(reason).isEqualTo("Works.plain");
    }

    @Test
    void threads_ofManyContexts_areInOneAfterAnother() throws Exception {
        Works here = works(start(Guarded.class));
        Works there = works(start(Guarded.class));
        int[] counter = {0};
        CountDownLatch done = new CountDownLatch(8);
        for (int thread = 0; thread < 8; thread++) {
            Works works = thread % 2 == 0 ? here : there;
            fork(() -> {
                for (int i = 0; i < 25; i++) {
                    works.plain(() -> counter[0] = counter[0] + 1);
                }
                done.countDown();
                return "done";
            });
        }

        done.await();

        assertThat(counter[0]).isEqualTo(200);
    }
}
