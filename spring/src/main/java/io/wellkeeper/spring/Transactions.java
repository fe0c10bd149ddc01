package io.wellkeeper.spring;

import io.wellkeeper.LockLostException;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.Advisor;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.Advised;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.Ordered;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.interceptor.TransactionInterceptor;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Ties the holds of guarded methods to the transactions of their thread. */
final class Transactions {

    private static final Logger LOG = LoggerFactory.getLogger(Transactions.class);

    private Transactions() {}

    /** Whether the calling thread is in a transaction that has not yet ended. */
    static boolean isActive() {
        return TransactionSynchronizationManager.isActualTransactionActive()
                && TransactionSynchronizationManager.isSynchronizationActive();
    }

    /**
     * Whether a method begins a transaction of its own, or suspends the active one, under its lock. Then it does not
     * take part in the transaction that is active when it is called.
     */
    static boolean leavesOuter(LockedMethod method, ProxyMethodInvocation invocation) {
        if (!method.leavesTransaction() || !(invocation.getProxy() instanceof Advised proxy)) {
            return false;
        }
        boolean under = false;
        for (Advisor advisor : proxy.getAdvisors()) {
            under |= advisor.getAdvice() instanceof LockedInterceptor;
            if (advisor.getAdvice() instanceof TransactionInterceptor) {
                return under;
            }
        }
        return false;
    }

    /**
     * Makes the transaction that is active on the calling thread a user of a hold, until the transaction has ended. The
     * holds are kept in one of the transaction's synchronizations, so they stay with the transaction, whatever else
     * begins, and wherever the transaction ends.
     */
    static void keep(ThreadHolds mine, Collection<Hold> holds) {
        TransactionSynchronizationManager.getSynchronizations().stream()
                .filter(Kept.class::isInstance)
                .map(Kept.class::cast)
                .findFirst()
                .orElseGet(() -> register(new Kept(mine)))
                .add(holds);
    }

    private static Kept register(Kept kept) {
        TransactionSynchronizationManager.registerSynchronization(kept);
        return kept;
    }

    /** The holds that one transaction uses. */
    private static final class Kept implements TransactionSynchronization {

        private final ThreadHolds owner;
        private final Set<Hold> holds = new LinkedHashSet<>();

        Kept(ThreadHolds owner) {
            this.owner = owner;
        }

        void add(Collection<Hold> more) {
            for (Hold hold : more) {
                if (holds.add(hold)) {
                    owner.use(hold);
                }
            }
        }

        /** Comes after synchronizations that still have to write. */
        @Override
        public int getOrder() {
            return Ordered.LOWEST_PRECEDENCE;
        }

        @Override
        public void beforeCommit(boolean readOnly) {
            holds.forEach(hold -> hold.held().checkHeld());
        }

        @Override
        public void afterCompletion(int status) {
            boolean ownThread = owner.isOfCallingThread();
            for (Hold hold : holds) {
                try {
                    if (ownThread) {
                        owner.letGo(hold);
                    } else {
                        hold.letGo();
                    }
                } catch (LockLostException lost) {
                    if (status != STATUS_ROLLED_BACK) {
                        LOG.warn("The transaction had ended already, and is {}: {}", name(status), lost.getMessage());
                    }
                }
            }
            if (ownThread) {
                owner.tidy();
            }
        }

        private static String name(int status) {
            return status == STATUS_COMMITTED ? "committed" : "committed or rolled back";
        }
    }

    /** Rolls a transaction back, instead of committing it, if its thread is in a guarded method whose lock was lost. */
    private static final class CheckBeforeCommit implements TransactionExecutionListener {

        @Override
        public void beforeCommit(TransactionExecution transaction) {
            for (ThreadHolds.Call call = ThreadHolds.innermost(); call != null; call = call.outer()) {
                call.holds().forEach(hold -> hold.held().checkHeld());
            }
        }
    }

    /** Makes every transaction manager check, before a commit, that the thread has not lost a lock. */
    static final class ManagersCheck implements BeanPostProcessor {

        private final CheckBeforeCommit check = new CheckBeforeCommit();

        @Override
        public Object postProcessAfterInitialization(Object bean, String beanName) {
            if (bean instanceof ConfigurableTransactionManager manager) {
                manager.addListener(check);
            }
            return bean;
        }
    }
}
