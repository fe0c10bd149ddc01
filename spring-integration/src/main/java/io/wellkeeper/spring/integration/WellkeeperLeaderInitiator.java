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
 * Lets a Spring Integration {@link Candidate} stand for a {@link LeaderElection}: as {@code LockRegistryLeaderInitiator}, but
 * without asking the store twice a second, and told of a loss at once. The name of the election is the candidate's role, and
 * {@code OnGrantedEvent} and {@code OnRevokedEvent} are published.
 *
 * <p>The candidate is called by one thread of its own, in order: {@code onRevoked} once for each {@code onGranted}, which is
 * interrupted if it still runs when the leadership ends. When the initiator is {@linkplain #stop stopped} or the candidate
 * {@linkplain Context#yield() yields}, the next candidate leads only after {@code onRevoked} has returned; when the
 * leadership was lost, it may lead before. What a candidate throws is logged, and it leads all the same.
 */
public final class WellkeeperLeaderInitiator implements SmartLifecycle, ApplicationEventPublisherAware {

    private static final Logger LOG = LoggerFactory.getLogger("io.wellkeeper");
    private static final int PHASE = Integer.MAX_VALUE - 1000; // that of LockRegistryLeaderInitiator

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
     * @param client which stays open
     * @param candidate with a role that is a valid name of a lock
     */
    public WellkeeperLeaderInitiator(LockClient client, Candidate candidate) {
        this.client = client;
        this.candidate = candidate;
    }

    /** What a candidate is given: whether it leads, and the number to show to whatever it writes to. */
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

    /** Has the candidate stand. */
    @Override
    public void start() {
        Candidacy fresh = new Candidacy();
        if (running.compareAndSet(null, fresh)) {
            fresh.begin();
        }
    }

    /** Has the candidate resign, without waiting for it. */
    @Override
    public void stop() {
        stop(() -> {});
    }

    /** Has the candidate resign, and tells when it has. */
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
     * From start to stop. What the candidate's thread is to do is put into its line, and what it does is interrupted for that, in
     * one step: nothing comes between that would not be interrupted, or that would come after the end.
     */
    private final class Candidacy implements LeaderContext, LeaderElection.Listener {

        private final LeaderElection election = client.election(candidate.getRole(), this);
        private final ThreadPoolExecutor thread; // of the candidate; what comes after its end is not of interest
        private Future<?> granting = CompletableFuture.completedFuture(null); // guarded by this
        private boolean leads; // as the candidate knows; used by its thread alone

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

        /** Gives up the leadership, if it has it, and stands again at the end of the queue. */
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
