package io.wellkeeper.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockClientClosedException;
import io.wellkeeper.LockHandle;
import io.wellkeeper.spring.integration.WellkeeperLeaderInitiator.LeaderContext;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.context.ApplicationEventPublisherAware;
import org.springframework.context.SmartLifecycle;
import org.springframework.integration.leader.AbstractCandidate;
import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.event.OnGrantedEvent;
import org.springframework.integration.leader.event.OnRevokedEvent;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;

/** Spring Integration's initiator over our registry, and ours over an election: each of two processes. */
class LeaderInitiatorsTest {

    private static final String ROLE = "scheduler";

    private final InMemoryServer server = new InMemoryServer();
    private final List<String> told = new CopyOnWriteArrayList<>();
    private final Process one = new Process("one");
    private final Process two = new Process("two");

    @AfterEach
    void close() {
        one.close();
        two.close();
        server.close();
    }

    private enum Kind {
        LOCK_REGISTRY {
            @Override
            SmartLifecycle initiator(Process process) {
                LockRegistryLeaderInitiator initiator =
                        new LockRegistryLeaderInitiator(new WellkeeperLockRegistry(process.client), process.candidate);
                initiator.setHeartBeatMillis(50);
                return initiator;
            }
        },
        ELECTION {
            @Override
            SmartLifecycle initiator(Process process) {
                return new WellkeeperLeaderInitiator(process.client, process.candidate);
            }
        };

        abstract SmartLifecycle initiator(Process process);
    }

    /** Writes down what it is told. */
    private final class Process extends AbstractCandidate implements AutoCloseable {

        private final String name;
        private final InMemoryTicketStore store = new InMemoryTicketStore(server);
        private final Teller teller = new Teller();
        private final LockClient client = LockClient.over(
                store,
                ClientOptions.builder()
                        .sessionTimeout(Duration.ofSeconds(4))
                        .callbackExecutor(teller)
                        .build());
        private final Process candidate = this;
        private volatile Consumer<Context> whenGranted = context -> {};
        private volatile Runnable whenNamed = () -> {};
        private SmartLifecycle initiator;

        Process(String name) {
            super(name, ROLE);
            this.name = name;
        }

        void start(Kind kind) {
            initiator = kind.initiator(this);
            ((ApplicationEventPublisherAware) initiator).setApplicationEventPublisher(event -> {
                if (event instanceof OnGrantedEvent granted) {
                    told.add(name + " publishes granted " + granted.getRole());
                } else if (event instanceof OnRevokedEvent revoked) {
                    told.add(name + " publishes revoked " + revoked.getRole());
                }
            });
            initiator.start();
        }

        @Override
        public String getRole() {
            whenNamed.run();
            return ROLE;
        }

        @Override
        public void onGranted(Context context) {
            told.add(name + " granted");
            whenGranted.accept(context);
        }

        @Override
        public void onRevoked(Context context) {
            told.add(name + " revoked");
        }

        void awaitTold(String... what) {
            await(name).until(() -> told.containsAll(List.of(what)));
        }

        @Override
        public void close() {
            if (initiator != null) {
                initiator.stop();
            }
            client.close();
            teller.shutdown();
        }
    }

    /** On which a client calls back. */
    private static final class Teller extends ThreadPoolExecutor {

        private volatile Thread thread = Thread.currentThread();

        Teller() {
            super(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
        }

        @Override
        protected void beforeExecute(Thread own, Runnable task) {
            thread = own;
        }

        /** Whether it has told all that there is to tell, or cannot go on. */
        boolean isDoneOrBlocked() {
            return getActiveCount() + getQueue().size() == 0 || thread.getState() == Thread.State.BLOCKED;
        }
    }

    @ParameterizedTest
    @EnumSource
    void stop_ofTheLeader_theOtherLeadsAfterwards(Kind kind) {
        one.start(kind);
        one.awaitTold("one publishes granted " + ROLE);
        two.start(kind);
        assertThat(told).doesNotContain("two granted");

        one.initiator.stop();

        two.awaitTold("one publishes revoked " + ROLE, "two publishes granted " + ROLE);
        assertThat(one.initiator.isRunning()).isFalse();
        if (kind == Kind.ELECTION) {
            assertThat(told.indexOf("two granted")).isGreaterThan(told.indexOf("one revoked"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void leadership_broken_isRevokedAndTheCandidateStandsAgain(Kind kind) {
        one.start(kind);
        one.awaitTold("one granted");

        two.client.admin().breakLock(ROLE, "test");

        one.awaitTold("one revoked");
        await().until(() -> told.stream().filter("one granted"::equals).count() == 2);
    }

    @ParameterizedTest
    @EnumSource
    void processStandsStill_theOtherLeadsAndItIsRevoked(Kind kind) {
        one.start(kind);
        one.awaitTold("one granted");
        two.start(kind);

        one.store.pause();

        two.awaitTold("two granted", "one revoked");
        one.store.resume();
    }

    @Test
    void context_ofTheLeader_hasTheTokenAndYields() {
        List<Long> tokens = new CopyOnWriteArrayList<>();
        CompletableFuture<LeaderContext> first = new CompletableFuture<>();
        one.whenGranted = context -> {
            first.complete((LeaderContext) context);
            tokens.add(((LeaderContext) context).fencingToken().orElseThrow());
        };
        one.start(Kind.ELECTION);
        one.awaitTold("one publishes granted " + ROLE);
        assertThat(((WellkeeperLeaderInitiator) one.initiator).getContext()).isSameAs(first.join());
        assertThat(first.join().getRole()).isEqualTo(ROLE);

        first.join().yield();

        await().until(() -> tokens.size() == 2);
        assertThat(tokens.get(1)).isGreaterThan(tokens.get(0));
        assertThat(told).startsWith("one granted", "one publishes granted " + ROLE, "one revoked");
        one.initiator.stop();
        assertThat(((WellkeeperLeaderInitiator) one.initiator).getContext().isLeader())
                .isFalse();
    }

    @Test
    void onGranted_stillRuns_isInterruptedWhenStopped() throws Exception {
        CountDownLatch interrupted = new CountDownLatch(1);
        one.whenGranted = context -> {
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException end) {
                interrupted.countDown();
            }
        };
        one.start(Kind.ELECTION);
        one.awaitTold("one granted");
        CountDownLatch stopped = new CountDownLatch(1);

        one.initiator.stop(stopped::countDown);

        assertThat(interrupted.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(stopped.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(told).contains("one revoked");
        assertThat(two.client.lock(ROLE).tryAcquire(Duration.ofSeconds(10))).isPresent();
    }

    /** The thread of the candidate is being made, for its resignation, when it is told that it leads. */
    @Test
    void stop_whenTheCandidateIsBeingElected_leavesNoneThatBelievesToLead() throws Exception {
        LockHandle before = two.client.lock(ROLE).acquire();
        one.start(Kind.ELECTION);
        LeaderContext context = ((WellkeeperLeaderInitiator) one.initiator).getContext();
        CompletableFuture<Void> looked = new CompletableFuture<>();
        one.whenNamed = () -> {
            one.whenNamed = () -> {};
            before.close();
            await().until(() -> context.isLeader() && one.teller.isDoneOrBlocked());
            one.teller.execute(looked::join); // it is told late that it does not lead any more
        };
        CountDownLatch stopped = new CountDownLatch(1);

        one.initiator.stop(stopped::countDown);

        assertThat(stopped.await(10, TimeUnit.SECONDS)).isTrue();
        await().until(() -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().equals("wellkeeper-leader-" + ROLE)));
        looked.complete(null);
        assertThat(told).doesNotContain("one granted");
    }

    @Test
    void start_clientIsClosed_doesNotRun() {
        one.client.close();

        assertThatExceptionOfType(LockClientClosedException.class).isThrownBy(() -> one.start(Kind.ELECTION));

        assertThat(one.initiator.isRunning()).isFalse();
    }

    @Test
    void candidateThatThrows_leadsAllTheSame() {
        one.whenGranted = context -> {
            throw new IllegalStateException("test");
        };

        one.start(Kind.ELECTION);

        one.awaitTold("one publishes granted " + ROLE);
        assertThat(((WellkeeperLeaderInitiator) one.initiator).getContext().isLeader())
                .isTrue();
    }
}
