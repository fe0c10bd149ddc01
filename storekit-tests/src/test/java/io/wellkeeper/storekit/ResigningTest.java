package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LeaderElection;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockListener;
import io.wellkeeper.LockOptions;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * A candidate that leaves the queue has no trouble with the store, hears of its end before it hears of another beginning, and
 * keeps nothing.
 */
class ResigningTest {

    private static final String NAME = "resigned";

    @Test
    void resign_candidateWaits_noTroubleIsTold() throws Exception {
        List<String> troubles = new CopyOnWriteArrayList<>();
        LockListener listener = new LockListener() {
            @Override
            public void storeTrouble(String store, String problem) {
                troubles.add(problem);
            }
        };
        LeaderElection.Listener candidate = new LeaderElection.Listener() {
            @Override
            public void elected(long fencingToken) {}

            @Override
            public void deposed(String reason) {}
        };
        ClientOptions options = ClientOptions.builder()
                .listener(listener)
                .callbackExecutor(Runnable::run)
                .build();
        try (InMemoryServer server = new InMemoryServer();
                LockClient other = LockClient.over(new InMemoryTicketStore(server));
                LockClient client = LockClient.over(new InMemoryTicketStore(server), options);
                LockHandle leading = other.lock(NAME).acquire()) {
            LeaderElection election = client.election(NAME, candidate);
            election.campaign();
            Await.until("the candidate waits", () -> server.queueLength(NAME) == 2);

            election.resign();

            Await.until("it waits no more", () -> server.queueLength(NAME) == 1);
            assertThat(troubles).isEmpty();
            assertThat(leading.isHeld()).isTrue();
        }
    }

    @Test
    void resign_byAThreadThatIsHeldUpWhileAnotherCampaigns_deposedIsToldBeforeElected() throws Exception {
        List<String> told = new CopyOnWriteArrayList<>();
        CompletableFuture<Void> resigning = new CompletableFuture<>();
        CompletableFuture<Void> mayGoOn = new CompletableFuture<>();
        LeaderElection.Listener candidate = new LeaderElection.Listener() {
            @Override
            public void elected(long fencingToken) {
                told.add("elected");
            }

            @Override
            public void deposed(String reason) {
                told.add("deposed");
            }
        };
        ClientOptions options = ClientOptions.builder()
                .listener(new LockListener() {})
                .callbackExecutor(task -> {
                    if (Thread.currentThread().getName().equals("slow")) {
                        resigning.complete(null);
                        mayGoOn.join();
                    }
                    task.run();
                })
                .build();
        try (Actor slow = new Actor("slow");
                InMemoryServer server = new InMemoryServer();
                LockClient client = LockClient.over(new InMemoryTicketStore(server), options)) {
            LeaderElection election = client.election(NAME, candidate);
            election.campaign();
            Await.until("it is elected", () -> told.size() == 1);
            Future<?> resigned = slow.begin(election::resign);
            Await.get(resigning);

            election.campaign();

            Await.until(
                    "it is elected again",
                    () -> told.stream().filter("elected"::equals).count() == 2);
            mayGoOn.complete(null);
            Await.result(resigned);
            assertThat(told).containsExactly("elected", "deposed", "elected");
        } finally {
            mayGoOn.complete(null);
        }
    }

    /** It was being handed the leadership just then, and what keeps the callback executor busy may wait for it. */
    @Test
    void resign_asItIsLetInAndNoCallbackComesAfterwards_theNextIsLetIn() throws Exception {
        AtomicReference<@Nullable LeaderElection> atNextCallback = new AtomicReference<>();
        AtomicBoolean busy = new AtomicBoolean();
        LockOptions kept = LockOptions.builder()
                .retain(true)
                .handOverTime(Duration.ofMinutes(1))
                .build();
        ClientOptions options = ClientOptions.builder()
                .lockDefaults(kept)
                .callbackExecutor(task -> {
                    if (!busy.get()) {
                        LeaderElection resigning = atNextCallback.getAndSet(null);
                        if (resigning != null) {
                            resigning.resign();
                            busy.set(true);
                        }
                        task.run();
                    }
                })
                .build();
        LeaderElection.Listener candidate = new LeaderElection.Listener() {
            @Override
            public void elected(long fencingToken) {}

            @Override
            public void deposed(String reason) {}
        };
        try (InMemoryServer server = new InMemoryServer();
                LockClient other = LockClient.over(new InMemoryTicketStore(server));
                LockClient client = LockClient.over(new InMemoryTicketStore(server), options)) {
            LeaderElection election = client.election(NAME, candidate);
            client.lock(NAME).acquire().close(); // and so the next one is let in at once
            atNextCallback.set(election);

            election.campaign();

            Await.get(other.lock(NAME).acquireAsync()).close();
            assertThat(election.isLeader()).isFalse();
        }
    }
}
