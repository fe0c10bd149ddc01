package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.wellkeeper.LeaderElection;
import io.wellkeeper.LockAdmin;
import io.wellkeeper.LockClientClosedException;
import io.wellkeeper.LockStatus;
import io.wellkeeper.Participant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** {@link LeaderElection}: at most one candidate leads, the next in the queue follows, and each is told in order. */
abstract class ElectionContract extends LockKit {

    private final List<Candidate> candidates = new CopyOnWriteArrayList<>();

    /** A candidate, and what its listener was told: a token when elected, and {@code deposed}. */
    private static final class Candidate implements LeaderElection.Listener {

        final List<Object> told = new CopyOnWriteArrayList<>();
        final List<String> asked = new CopyOnWriteArrayList<>();
        final LeaderElection election;

        Candidate(Client client, String name) {
            election = client.queues().election(name, this);
        }

        @Override
        public void elected(long fencingToken) {
            told.add(fencingToken);
        }

        @Override
        public void revocationRequested(String who, String reason) {
            asked.add(who + ": " + reason);
        }

        @Override
        public void deposed(String reason) {
            told.add(reason.isBlank() ? "deposed for no reason" : "deposed");
        }

        long awaitElected(int times) {
            Await.until(() -> times + " times elected: " + told, () -> count(Long.class) >= times);
            return (Long) told.stream().filter(Long.class::isInstance).toList().get(times - 1);
        }

        void awaitDeposed(int times) {
            Await.until(() -> times + " times deposed: " + told, () -> count(String.class) >= times);
        }

        long count(Class<?> event) {
            return told.stream().filter(event::isInstance).count();
        }
    }

    private Candidate candidate(Client client) {
        Candidate candidate = new Candidate(client, name);
        candidates.add(candidate);
        return candidate;
    }

    /** A candidate that stands behind another one; it is in the queue when this returns. */
    private Candidate queueUp(Client client) {
        int before = client.events().count("contended " + name);
        Candidate candidate = candidate(client);
        candidate.election.campaign();
        client.events().await("contended " + name, before + 1);
        return candidate;
    }

    private Candidate leader(Client client) {
        Candidate candidate = candidate(client);
        candidate.election.campaign();
        candidate.awaitElected(1);
        return candidate;
    }

    /** Each candidate was told in turns that it was elected and that it was deposed, with growing tokens. */
    @AfterEach
    void assertToldInTurns() {
        for (Candidate candidate : candidates) {
            long last = 0;
            for (int i = 0; i < candidate.told.size(); i++) {
                Object told = candidate.told.get(i);
                if (i % 2 == 0) {
                    assertThat(told).isInstanceOf(Long.class);
                    assertThat((Long) told).isGreaterThan(last);
                    last = (Long) told;
                } else {
                    assertThat(told).isEqualTo("deposed");
                }
            }
        }
    }

    @Test
    void election_badName_isRefused() throws Exception {
        Client client = client();
        for (String bad : List.of("", "a\0b", "x".repeat(513))) {
            assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> new Candidate(client, bad));
        }
        assertThat(candidate(client).election.name()).isEqualTo(name);
    }

    @Test
    void election_notYetStood_leadsNothing() throws Exception {
        LeaderElection election = candidate(client()).election;

        assertThat(election.isLeader()).isFalse();
        assertThat(election.fencingToken()).isEmpty();
        assertThat(election.leader()).isEmpty();
        election.resign();
        election.close();
        election.close();
        assertComesFree(name);
    }

    @Test
    void campaign_alone_isElected() throws Exception {
        Client client = client(options().clientName("only"));
        Candidate only = candidate(client);

        only.election.campaign();

        long token = only.awaitElected(1);
        assertThat(only.election.isLeader()).isTrue();
        assertThat(only.election.fencingToken()).hasValue(token);
        assertThat(only.election.leader()).map(Participant::clientName).contains("only");
        only.election.campaign();
        only.election.close();
        only.awaitDeposed(1);
        assertThat(only.election.isLeader()).isFalse();
        assertThat(only.election.fencingToken()).isEmpty();
        assertThat(only.told).hasSize(2);
        assertComesFree(name);
    }

    @Test
    void campaign_somebodyLeads_waitsUntilItResigns() throws Exception {
        Client a = client(options().clientName("a"));
        Client b = client(options().clientName("b"));
        Client c = client(options().clientName("c"));
        Candidate first = leader(a);
        Candidate second = queueUp(b);
        Candidate third = queueUp(c);
        assertThat(second.election.isLeader()).isFalse();
        assertThat(second.election.leader()).map(Participant::clientName).contains("a");
        LockStatus status = c.queues().admin().inspect(name);
        assertThat(status.holders()).extracting(Participant::clientName).containsExactly("a");
        assertThat(status.waiters()).extracting(Participant::clientName).containsExactly("b", "c");

        first.election.resign();

        assertThat(first.election.isLeader()).isFalse();
        first.awaitDeposed(1);
        assertThat(second.awaitElected(1)).isGreaterThan(first.awaitElected(1));
        assertThat(third.told).isEmpty();
        second.election.close();
        assertThat(third.awaitElected(1)).isGreaterThan(second.awaitElected(1));
        third.election.close();
        assertComesFree(name);
    }

    @Test
    void campaign_afterResigning_standsAtTheEnd() throws Exception {
        Client a = client();
        Client b = client();
        Candidate first = leader(a);
        Candidate second = queueUp(b);
        first.election.resign();
        second.awaitElected(1);

        first.election.campaign();
        assertThat(first.election.isLeader()).isFalse();
        second.election.resign();

        assertThat(first.awaitElected(2)).isGreaterThan(second.awaitElected(1));
        first.election.close();
        second.election.close();
        assertComesFree(name);
    }

    @Test
    void resign_whileWaiting_leavesTheQueue() throws Exception {
        Candidate first = leader(client());
        Candidate second = queueUp(client());
        Candidate third = queueUp(client());

        second.election.resign();
        first.election.close();

        third.awaitElected(1);
        third.election.close();
        second.election.close();
        assertThat(second.told).isEmpty();
        assertComesFree(name);
    }

    @Test
    void campaign_twoCandidatesOfOneClient_oneLeads() throws Exception {
        Client client = client();
        Candidate first = leader(client);
        Candidate second = candidate(client);
        second.election.campaign();
        client.events().await("contended " + name, 1);
        assertThat(second.election.isLeader()).isFalse();

        first.election.close();

        assertThat(second.awaitElected(1)).isGreaterThan(first.awaitElected(1));
        second.election.close();
        assertComesFree(name);
    }

    @Test
    void campaign_asTheMutexOfTheSameName_excludesIt() throws Exception {
        Client a = client();
        Client b = client();
        Candidate leader = leader(a);
        assertThat(a.lock(name).tryLock()).isFalse();
        assertThat(b.lock(name).tryLock()).isFalse();
        leader.election.resign();
        Visitor holder = enter(b.lock(name));

        leader.election.campaign();
        a.events().await("contended " + name, 1);
        assertThat(leader.election.isLeader()).isFalse();
        holder.leave();

        leader.awaitElected(2);
        leader.election.close();
        assertComesFree(name);
    }

    @Test
    void cut_theLeaderForLong_knowsBeforeTheNextIsElectedAndStandsAgain() throws Exception {
        Client loser = mortalClient();
        Candidate first = leader(loser);
        CompletableFuture<Boolean> ledStill = new CompletableFuture<>();
        LeaderElection next = client().queues().election(name, new LeaderElection.Listener() {
            @Override
            public void elected(long fencingToken) {
                ledStill.complete(first.election.isLeader());
            }

            @Override
            public void deposed(String reason) {}
        });
        next.campaign();

        fixture.cut(loser.client());

        assertThat(Await.get(ledStill)).isFalse();
        assertThat(first.election.fencingToken()).isEmpty();
        first.awaitDeposed(1);
        fixture.mend(loser.client());
        loser.events().await("contended " + name, 1);
        next.close();
        first.awaitElected(2);
        first.election.close();
        assertComesFree(name);
    }

    @Test
    void lose_theLeader_isDeposedAndElectedAnew() throws Exception {
        Client loser = client();
        Candidate only = leader(loser);
        for (int times = 1; times <= 3; times++) {
            fixture.lose(loser.client());

            only.awaitDeposed(times);
            only.awaitElected(times + 1);
        }
        assertThat(only.election.isLeader()).isTrue();
        only.election.close();
        assertComesFree(name);
    }

    @Test
    void lose_aWaitingCandidate_standsAgain() throws Exception {
        Client loser = client();
        Candidate first = leader(client());
        Candidate second = queueUp(loser);

        fixture.lose(loser.client());
        first.election.close();

        second.awaitElected(1);
        second.election.close();
        assertComesFree(name);
    }

    @Test
    void breakLock_theLeader_isDeposedAndTheNextIsElected() throws Exception {
        Client breaking = client();
        Candidate first = leader(watchfulClient());
        Candidate second = queueUp(client());

        breaking.queues().admin().breakLock(name, "it does nothing");

        assertThat(second.awaitElected(1)).isGreaterThan(first.awaitElected(1));
        first.awaitDeposed(1);
        second.election.close();
        first.awaitElected(2);
        first.election.close();
        assertComesFree(name);
    }

    @Test
    void listener_throwsOrResigns_doesNotStopTheElection() throws Exception {
        Client client = client();
        List<String> told = new CopyOnWriteArrayList<>();
        List<LeaderElection> election = new CopyOnWriteArrayList<>();
        election.add(client.queues().election(name, new LeaderElection.Listener() {
            @Override
            public void elected(long fencingToken) {
                told.add("elected");
                election.get(0).resign();
                throw new IllegalStateException("a listener that throws");
            }

            @Override
            public void deposed(String reason) {
                told.add("deposed");
                throw new IllegalStateException("a listener that throws");
            }
        }));

        for (int times = 1; times <= 3; times++) {
            int events = 2 * times;
            election.get(0).campaign();
            Await.until(() -> events + " events: " + told, () -> told.size() >= events);
        }

        election.get(0).close();
        assertThat(told).containsExactly("elected", "deposed", "elected", "deposed", "elected", "deposed");
        assertComesFree(name);
    }

    @Test
    void listener_throwsWhenElected_leadsOnAndIsDeposedAndElectedAnew() throws Exception {
        Client loser = client();
        List<String> told = new CopyOnWriteArrayList<>();
        LeaderElection election = loser.queues().election(name, new LeaderElection.Listener() {
            @Override
            public void elected(long fencingToken) {
                told.add("elected");
                throw new IllegalStateException("a listener that throws");
            }

            @Override
            public void deposed(String reason) {
                told.add("deposed");
            }
        });
        election.campaign();
        Await.until(() -> "elected: " + told, () -> told.size() == 1);
        assertThat(election.isLeader()).isTrue();

        fixture.lose(loser.client());

        Await.until(() -> "deposed and elected anew: " + told, () -> told.size() >= 3);
        election.close();
        Await.until(() -> "deposed at the end: " + told, () -> told.size() >= 4);
        assertThat(told).containsExactly("elected", "deposed", "elected", "deposed");
        assertComesFree(name);
    }

    /** The order of the calls does not depend on the executor. */
    @Test
    void resign_electedIsStillBeingTold_deposedIsToldAfterwards() throws Exception {
        ExecutorService pool = Executors.newCachedThreadPool();
        try {
            Client client = client(options().callbackExecutor(pool));
            CountDownLatch listening = new CountDownLatch(1);
            CountDownLatch resigned = new CountDownLatch(1);
            List<String> told = new CopyOnWriteArrayList<>();
            LeaderElection election = client.queues().election(name, new LeaderElection.Listener() {
                @Override
                public void elected(long fencingToken) {
                    listening.countDown();
                    Await.until("the resignation", () -> resigned.getCount() == 0);
                    told.add("elected");
                }

                @Override
                public void deposed(String reason) {
                    told.add("deposed");
                }
            });
            election.campaign();
            Await.until("the election", () -> listening.getCount() == 0);

            election.resign();
            assertComesFree(name);
            resigned.countDown();

            Await.until(() -> "both events: " + told, () -> told.size() == 2);
            assertThat(told).containsExactly("elected", "deposed");
        } finally {
            pool.shutdown();
        }
    }

    @Test
    void requestRevocation_ofTheLeadership_theLeaderHearsWhoAndWhy() throws Exception {
        Candidate leader = leader(client());
        Candidate next = queueUp(client());
        LockAdmin operator = client(options().clientName("operator")).queues().admin();

        assertThat(operator.requestRevocation(name, "deploy")).isEqualTo(1);
        Await.until("first request", () -> leader.asked.contains("operator: deploy"));
        assertThat(operator.requestRevocation(name, "please")).isEqualTo(1);
        Await.until("second request", () -> leader.asked.contains("operator: please"));
        assertThat(leader.election.isLeader()).isTrue();
        leader.election.resign();

        next.awaitElected(1);
        leader.awaitDeposed(1);
        assertThat(operator.requestRevocation(name, "you too")).isEqualTo(1);
        Await.until("third request", () -> next.asked.contains("operator: you too"));
        assertThat(next.asked).hasSize(1);
        assertThat(leader.asked).containsExactly("operator: deploy", "operator: please");
        next.election.close();
        next.awaitDeposed(1);
        assertComesFree(name);
    }

    @Test
    void close_theClientOfTheLeader_theLeaderIsDeposed() throws Exception {
        Client closing = client();
        Candidate leader = leader(closing);

        closing.client().close();

        leader.awaitDeposed(1);
        leader.election.resign();
        assertThatExceptionOfType(LockClientClosedException.class).isThrownBy(leader.election::campaign);
        leader.election.close();
        assertThat(leader.told).hasSize(2);
    }

    @Test
    void close_theClientOfTheLeader_theNextIsElected() throws Exception {
        Client closing = client();
        Candidate first = leader(closing);
        Candidate second = queueUp(client());

        closing.client().close();

        assertThat(first.election.isLeader()).isFalse();
        second.awaitElected(1);
        second.election.close();
        first.election.close();
        assertComesFree(name);
    }

    @Test
    void lose_leadersOneAfterTheOther_onlyOneLeadsAtATime() throws Exception {
        List<Client> clients = List.of(client(), client(), client());
        List<Candidate> standing = new ArrayList<>();
        for (Client client : clients) {
            Candidate candidate = candidate(client);
            candidate.election.campaign();
            standing.add(candidate);
        }
        for (int round = 0; round < 6; round++) {
            Await.until("a leader", () -> standing.stream().anyMatch(one -> one.election.isLeader()));
            for (int i = 0; i < standing.size(); i++) {
                if (standing.get(i).election.isLeader()) {
                    fixture.lose(clients.get(i).client());
                }
            }
        }
        List<Long> tokens = new ArrayList<>();
        standing.forEach(one -> one.election.close());
        standing.forEach(
                one -> one.told.stream().filter(Long.class::isInstance).forEach(token -> tokens.add((Long) token)));

        assertThat(tokens).doesNotHaveDuplicates();
        assertComesFree(name);
    }
}
