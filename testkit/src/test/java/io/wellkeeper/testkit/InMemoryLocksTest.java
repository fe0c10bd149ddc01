package io.wellkeeper.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import io.wellkeeper.LeaseHandle;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockClientClosedException;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockLostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

class InMemoryLocksTest {

    @RegisterExtension
    final InMemoryLocks locks = new InMemoryLocks();

    private final LockClient mine = locks.client();

    @Test
    void client_ofAnotherName_isAnotherProcess() {
        try (LockHandle held = mine.lock("stock").tryAcquire().orElseThrow()) {
            assertThat(held.isHeld()).isTrue();
            assertThat(locks.client("other").lock("stock").tryAcquire()).isEmpty();
        }
    }

    @Test
    void client_askedForAgain_isTheSame() {
        assertThat(locks.client()).isSameAs(mine);
    }

    @Test
    void connection_whoseSessionEnds_losesItsLocksAlone() throws InterruptedException {
        try (LockHandle other = mine.lock("other").tryAcquire().orElseThrow()) {
            LockHandle held = locks.client("unlucky").lock("stock").tryAcquire().orElseThrow();
            CountDownLatch lost = new CountDownLatch(1);
            held.onLost(lost::countDown);
            locks.connection("unlucky").expireSessions();
            assertThat(lost.await(1, TimeUnit.MINUTES)).isTrue();
            assertThatThrownBy(held::close).isInstanceOf(LockLostException.class);
            assertThat(other.isHeld()).isTrue();
        }
    }

    @Test
    void leaseClient_ofAnotherName_findsTheLeaseTaken() throws InterruptedException {
        try (LeaseHandle held = locks.leaseClient("a").acquireLease("job", Duration.ofMinutes(1))) {
            assertThat(held.isHeld()).isTrue();
            assertThat(locks.leaseClient("b").lock("job").tryAcquire()).isEmpty();
        }
    }

    @Test
    void afterEach_aLockIsStillHeld_failsTheTestAndNamesIt() {
        assertThat(run(Examples.class, "leavesLocksHeld"))
                .singleElement()
                .asString()
                .contains("[a lease, a lock]")
                .contains("mayStayHeld()");
    }

    @Test
    void afterEach_aTestHasFailed_leavesItsFailureAlone() {
        assertThat(run(Examples.class, "failsWithALockHeld"))
                .singleElement()
                .asString()
                .contains("its own failure")
                .doesNotContain("a lock");
    }

    @Test
    void mayStayHeld_aLockIsStillHeld_passes() {
        assertThat(run(PatientExamples.class, "leavesALockHeld")).isEmpty();
    }

    @Test
    void afterEach_closesTheClients() {
        assertThat(run(PatientExamples.class, "leavesALockHeld")).isEmpty();
        assertThatThrownBy(() -> PatientExamples.last.lock("a lock").lock())
                .isInstanceOf(LockClientClosedException.class);
    }

    /** Runs one of the examples, and says how it failed. */
    private static List<Throwable> run(Class<?> examples, String example) {
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(selectMethod(examples, example))
                .build();
        SummaryGeneratingListener summary = new SummaryGeneratingListener();
        LauncherFactory.create().execute(request, summary);
        assertThat(summary.getSummary().getTestsStartedCount()).isOne();
        return summary.getSummary().getFailures().stream()
                .map(failure -> failure.getException())
                .toList();
    }

    /** Run by the tests above alone. */
    static class Examples {

        @RegisterExtension
        final InMemoryLocks locks = new InMemoryLocks();

        @Test
        void leavesLocksHeld() {
            locks.client().lock("a lock").lock();
            locks.leaseClient("client").tryAcquireLease("a lease", Duration.ofMinutes(1));
        }

        @Test
        void failsWithALockHeld() {
            locks.client().lock("a lock").lock();
            throw new AssertionError("its own failure");
        }
    }

    /** Run by the tests above alone. */
    static class PatientExamples {

        static LockClient last;

        @RegisterExtension
        final InMemoryLocks locks = new InMemoryLocks().mayStayHeld();

        @Test
        void leavesALockHeld() {
            last = locks.client();
            last.lock("a lock").lock();
        }
    }
}
