package io.wellkeeper.spring.integration;

import io.wellkeeper.LeaderElection;
import io.wellkeeper.LockClient;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ApplicationEventPublisherAware;
import org.springframework.context.SmartLifecycle;
import org.springframework.integration.leader.Candidate;
import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.event.DefaultLeaderEventPublisher;
import org.springframework.integration.leader.event.LeaderEventPublisher;

/**
 * Lets a Spring Integration {@link Candidate} stand for a {@link LeaderElection}: like {@code
 * LockRegistryLeaderInitiator}, but it does not ask the store twice a second, and the candidate is told of a loss at
 * once. The name of the election is the candidate's role, and {@code OnGrantedEvent} and {@code OnRevokedEvent} are
 * published.
 *
 * <p>One thread of its own calls the candidate, in order: {@code onRevoked} once for each {@code onGranted}. If {@code
 * onGranted} still runs when the leadership ends, it is interrupted. When the initiator is {@linkplain #stop stopped}
 * or the candidate {@linkplain Context#yield() yields}, the next candidate leads only after {@code onRevoked} has
 * returned; when the leadership was lost, the next candidate may lead before that. An exception of the candidate is
 * logged, and the candidate leads all the same.
 */
public final class WellkeeperLeaderInitiator implements SmartLifecycle, ApplicationEventPublisherAware {

    private static final Logger LOG = LoggerFactory.getLogger("io.wellkeeper");
    private static final int PHASE = Integer.MAX_VALUE - 1000; // the phase of LockRegistryLeaderInitiator

    private static final LeaderContext NOT_STANDING = new LeaderContext() {
        @Override
        public boolean isLeader() {
            return false;
        }

        @Override
        public OptionalLong fencingToken() {
            return OptionalLong.empty();
        }
    };

    private final LockClient client;
    private final Candidate candidate;
    private final AtomicReference<@Nullable Candidacy> running = new AtomicReference<>();
    private volatile @Nullable LeaderEventPublisher publisher;

    /**
     * @param client the client; it stays open
     * @param candidate the candidate; its role must be a valid name of a lock
     */
    public WellkeeperLeaderInitiator(LockClient client, Candidate candidate) {
        this.client = client;
        this.candidate = candidate;
    }

    /** The context of a candidate: whether it leads, and the fencing token to send with each write. */
    public interface LeaderContext extends Context {

        /** {@return the token of the leadership that the candidate has now; empty if it does not lead} No round trip. */
        OptionalLong fencingToken();
    }

    @Override
    public void setApplicationEventPublisher(ApplicationEventPublisher events) {
        this.publisher = new DefaultLeaderEventPublisher(events);
    }

    /** {@return the context of the candidate, which does not lead before this is started} */
    public LeaderContext getContext() {
        Candidacy candidacy = running.get();
        return candidacy == null ? NOT_STANDING : candidacy;
    }

    /** Lets the candidate stand. */
    @Override
    public void start() {
        Candidacy fresh = new Candidacy();
        if (running.compareAndSet(null, fresh)) {
            fresh.begin();
        }
    }

    /** Lets the candidate resign, without waiting for it. */
    @Override
    public void stop() {
        stop(() -> {});
    }

    /** Lets the candidate resign, and calls back when it has resigned. */
    @Override
    public void stop(Runnable callback) {
        Candidacy candidacy = running.getAndSet(null);
        if (candidacy == null) {
            callback.run();
        } else {
            candidacy.end().whenComplete((done, failure) -> callback.run());
        }
    }

    @Override
    public boolean isRunning() {
        return running.get() != null;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    /**
     * Lasts from start to stop. A task for the candidate's thread is queued, and the running task is interrupted for
     * it, in one step under the monitor: no other task can come between, and so miss the interrupt or run after the
     * end.
     */
    private final class Candidacy implements LeaderContext, LeaderElection.Listener {

        private final LeaderElection election = client.election(candidate.getRole(), this);
        private final ThreadPoolExecutor thread; // of the candidate; tasks after its end are discarded
        private Future<?> granting = CompletableFuture.completedFuture(null); // guarded by this
        private boolean leads; // as the candidate was told; used only by its thread

        Candidacy() {
            this.thread = new ThreadPoolExecutor(
                    1,
                    1,
                    1,
                    TimeUnit.SECONDS,
                    new LinkedBlockingQueue<>(),
                    task -> {
                        Thread fresh = new Thread(task, "wellkeeper-leader-" + candidate.getRole());
                        fresh.setDaemon(true);
                        return fresh;
                    },
                    new ThreadPoolExecutor.DiscardPolicy());
            thread.allowCoreThreadTimeOut(true);
        }

        void begin() {
            election.campaign();
        }

        synchronized CompletableFuture<Void> end() {
            granting.cancel(true);
            CompletableFuture<Void> ended = CompletableFuture.runAsync(
                    () -> {
                        try {
                            revoke();
                        } finally {
                            election.close();
                        }
                    },
                    thread);
            thread.shutdown();
            return ended;
        }

        @Override
        public synchronized void elected(long fencingToken) {
            granting = thread.submit(this::grant);
        }

        @Override
        public synchronized void deposed(String reason) {
            granting.cancel(true);
            thread.execute(this::revoke);
        }

        /**
         * Gives up the leadership, if the candidate has it; the candidate then stands again at the end of the queue.
         */
        @Override
        public void yield() {
            if (isLeader()) {
                resignAndStand();
            }
        }

        private synchronized void resignAndStand() {
            granting.cancel(true);
            thread.execute(() -> {
                revoke();
                try {
                    election.resign();
                    election.campaign();
                } catch (IllegalStateException closed) {
                    LOG.debug("'{}' does not stand again", candidate.getRole(), closed);
                }
            });
        }

        private void grant() {
            leads = true;
            try {
                candidate.onGranted(this);
            } catch (InterruptedException over) {
                return;
            } catch (RuntimeException thrown) {
                LOG.warn("the candidate for '{}' has thrown", candidate.getRole(), thrown);
            }
            publish(events -> events.publishOnGranted(WellkeeperLeaderInitiator.this, this, candidate.getRole()));
        }

        private void revoke() {
            if (!leads) {
                return;
            }
            leads = false;
            try {
                candidate.onRevoked(this);
            } catch (RuntimeException thrown) {
                LOG.warn("the candidate for '{}' has thrown", candidate.getRole(), thrown);
            }
            publish(events -> events.publishOnRevoked(WellkeeperLeaderInitiator.this, this, candidate.getRole()));
        }

        private void publish(Consumer<LeaderEventPublisher> event) {
            LeaderEventPublisher events = publisher;
            if (events != null) {
                try {
                    event.accept(events);
                } catch (RuntimeException thrown) {
                    LOG.warn("a listener to the leadership of '{}' has thrown", candidate.getRole(), thrown);
                }
            }
        }

        @Override
        public boolean isLeader() {
            return election.isLeader();
        }

        @Override
        public OptionalLong fencingToken() {
            return election.fencingToken();
        }

        @Override
        public String getRole() {
            return candidate.getRole();
        }
    }
}
