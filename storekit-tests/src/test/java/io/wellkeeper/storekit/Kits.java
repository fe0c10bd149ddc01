package io.wellkeeper.storekit;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherExecutionRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs single tests of the kits on fixtures that a test makes up. */
final class Kits {

    private static final String PATIENCE = "io.wellkeeper.storekit.patienceMillis";

    private static @Nullable Supplier<?> fixture;

    private Kits() {}

    @SuppressWarnings("unchecked")
    private static <F> F made() {
        return (F) Objects.requireNonNull(fixture).get();
    }

    static class Tickets extends TicketStoreContract {
        @Override
        protected TicketStoreFixture newFixture() {
            return made();
        }
    }

    static class Queues extends TicketQueueContract {
        @Override
        protected TicketStoreFixture newFixture() {
            return made();
        }
    }

    static class Replacements extends ReplacementContract {
        @Override
        protected TicketStoreFixture newFixture() {
            return made();
        }
    }

    static class Notices extends NoticeContract {
        @Override
        protected TicketStoreFixture newFixture() {
            return made();
        }
    }

    static class Leases extends LeaseStoreContract {
        @Override
        protected LeaseStoreFixture newFixture() {
            return made();
        }
    }

    static class Locks extends LockContract {
        @Override
        protected LockFixture newFixture() {
            return made();
        }
    }

    static class Exclusion extends ExclusionContract {
        @Override
        protected LockFixture newFixture() {
            return made();
        }
    }

    static class Fairness extends FairnessContract {
        @Override
        protected LockFixture newFixture() {
            return made();
        }
    }

    static class Loss extends LossContract {
        @Override
        protected LockFixture newFixture() {
            return made();
        }
    }

    static class Async extends AsyncContract {
        @Override
        protected LockFixture newFixture() {
            return made();
        }
    }

    static class ReadWriteLocks extends ReadWriteLockContract {
        @Override
        protected LockFixture newFixture() {
            return made();
        }
    }

    static class ReadWriteFairness extends ReadWriteFairnessContract {
        @Override
        protected LockFixture newFixture() {
            return made();
        }
    }

    static class Downgrades extends DowngradeContract {
        @Override
        protected LockFixture newFixture() {
            return made();
        }
    }

    static class Semaphores extends SemaphoreContract {
        @Override
        protected LockFixture newFixture() {
            return made();
        }
    }

    static class SemaphoreWaiting extends SemaphoreWaitingContract {
        @Override
        protected LockFixture newFixture() {
            return made();
        }
    }

    static class SemaphoreResize extends SemaphoreResizeContract {
        @Override
        protected LockFixture newFixture() {
            return made();
        }
    }

    static class Conditions extends ConditionContract {
        @Override
        protected LockFixture newFixture() {
            return made();
        }
    }

    static class ConditionLoss extends ConditionLossContract {
        @Override
        protected LockFixture newFixture() {
            return made();
        }
    }

    static class AsyncConditions extends ConditionAsyncContract {
        @Override
        protected LockFixture newFixture() {
            return made();
        }
    }

    static class ReadWriteHandles extends ReadWriteHandleContract {
        @Override
        protected LockFixture newFixture() {
            return made();
        }
    }

    static class MultiLocks extends MultiLockContract {
        @Override
        protected LockFixture newFixture() {
            return made();
        }
    }

    static class MultiLockWaiting extends MultiLockWaitingContract {
        @Override
        protected LockFixture newFixture() {
            return made();
        }
    }

    static class MultiLockLoss extends MultiLockLossContract {
        @Override
        protected LockFixture newFixture() {
            return made();
        }
    }

    static class LossNotices extends LossNoticeContract {
        @Override
        protected LockFixture newFixture() {
            return made();
        }
    }

    static class Revocations extends RevocationContract {
        @Override
        protected LockFixture newFixture() {
            return made();
        }
    }

    static class Breaks extends BreakContract {
        @Override
        protected LockFixture newFixture() {
            return made();
        }
    }

    static class Deadlocks extends DeadlockContract {
        @Override
        protected LockFixture newFixture() {
            return made();
        }
    }

    static class Latches extends LatchContract {
        @Override
        protected LockFixture newFixture() {
            return made();
        }
    }

    static class Barriers extends BarrierContract {
        @Override
        protected LockFixture newFixture() {
            return made();
        }
    }

    static class Elections extends ElectionContract {
        @Override
        protected LockFixture newFixture() {
            return made();
        }
    }

    /** How one test of a kit fares where a bug is planted; the kit is impatient, for it is expected to wait in vain. */
    static List<TestExecutionResult.Status> run(Class<?> kit, String test, Supplier<?> planted) {
        System.setProperty(PATIENCE, "1000");
        try {
            return runPatiently(kit, test, planted);
        } finally {
            System.clearProperty(PATIENCE);
        }
    }

    /** How one test of a kit fares where nothing is wrong. */
    static List<TestExecutionResult.Status> runPatiently(Class<?> kit, String test, Supplier<?> sound) {
        List<TestExecutionResult.Status> results = new ArrayList<>();
        TestExecutionListener listener = new TestExecutionListener() {
            @Override
            public void executionFinished(TestIdentifier id, TestExecutionResult result) {
                if (id.isTest()) {
                    results.add(result.getStatus());
                }
            }
        };
        fixture = sound;
        LauncherFactory.create()
                .execute(LauncherExecutionRequestBuilder.request(LauncherDiscoveryRequestBuilder.request()
                                .selectors(selectMethod(kit, test))
                                .build())
                        .listeners(listener)
                        .build());
        return results;
    }
}
