package io.wellkeeper.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisClient;
import io.lettuce.core.resource.ClientResources;
import io.netty.util.concurrent.DefaultEventExecutorGroup;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.SessionListener;
import io.wellkeeper.spi.SessionOptions;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketRequest;
import io.wellkeeper.testservers.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Requests of one thread are carried out in the order of its calls, also where some have to be sent again. */
@ExtendWith(SharedServers.class)
class OrderOfCallsTest {

    private static final int MANY = 5_000;
    private static final String HELD = "held";

    private final RedisProcess server;

    OrderOfCallsTest(SingleServer servers) {
        server = servers.masters().get(0);
    }

    @Test
    void take_serverForgetsTheScript_areNumberedInTheOrderOfTheCalls() {
        try (FaultProxy proxy = new FaultProxy(server.port());
                RedisTicketStore store = store(proxy.address())) {
            TicketQueue queue = open(store).queue("order");
            CountDownLatch someAreSent = new CountDownLatch(1);
            CountDownLatch allAreSent = new CountDownLatch(1);
            AtomicInteger refused = new AtomicInteger();
            AtomicBoolean known = new AtomicBoolean();
            proxy.rule(words -> {
                known.compareAndSet(false, words.size() > 1 && words.get(1).equals(Script.TAKE.text()));
                if (known.get() || words.size() < 2 || !words.get(1).equals(Script.TAKE.digest())) {
                    return FaultProxy.FORWARD;
                }
                neverPass(
                        refused.incrementAndGet() == 1
                                ? someAreSent
                                : allAreSent); // so the first is sent again amidst the others
                return "NOSCRIPT No matching script. Please use EVAL.";
            });
            List<CompletionStage<Place>> places = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                places.add(queue.take(request(i)));
            }
            someAreSent.countDown();
            await().pollInterval(Duration.ofMillis(5)).until(() -> {
                places.add(queue.take(request(places.size())));
                return places.size() == 20;
            });
            allAreSent.countDown();

            assertThat(places.stream()
                            .map(place -> Await.get(place).ticket().number())
                            .toList())
                    .isSorted()
                    .doesNotHaveDuplicates();
        }
    }

    /** A take that travels with a removal is behind all that were called for before, also behind one that had to wait. */
    @Test
    void take_removalBeforeItIsNotWrittenYetWhenOneBeforeThatHadToWait_areNumberedInTheOrderOfTheCalls() {
        try (FaultProxy proxy = new FaultProxy(server.port());
                HeldWriter writer = new HeldWriter();
                RedisTicketStore store = writer.store(proxy.address())) {
            TicketQueue queue = open(store).queue("behind");
            Ticket former = Await.get(queue.take(request(0))).ticket();
            CompletableFuture<Void> isInDoubt = new CompletableFuture<>();
            CompletableFuture<Void> isRemoved = new CompletableFuture<>();
            AtomicInteger writings = new AtomicInteger();
            proxy.rule(words -> {
                if (words.contains(Script.DESCRIBE.digest())) {
                    if (writings.incrementAndGet() == 1) {
                        return FaultProxy.DELAY; // and so the connection is lost, and all is sent once more
                    }
                    writer.hold();
                } else if (words.contains(Script.TAKE.digest()) && isInDoubt.complete(null)) {
                    Await.get(isRemoved);
                }
                return FaultProxy.FORWARD;
            });
            CompletionStage<Void> stuck =
                    queue.describe(former, "").thenRun(() -> queue.describe(former, "")); // by the connection's thread
            List<CompletionStage<Place>> places = new ArrayList<>();
            places.add(queue.take(request(1)));
            Await.get(isInDoubt);
            Await.get(stuck);
            places.add(queue.take(request(2)));
            queue.remove(former);
            isRemoved.complete(null);
            Await.get(places.get(0));
            places.add(queue.take(request(3)));
            writer.goOn();

            assertNumberedInOrder(places);
        }
    }

    /** It has loaded its data when it has refused the first of them. */
    @Test
    void take_connectionWasLostAndServerIsStillLoading_areNumberedInTheOrderOfTheCalls() {
        try (FaultProxy proxy = new FaultProxy(server.port());
                RedisTicketStore store = store(proxy.address())) {
            CompletableFuture<Void> areAsked = new CompletableFuture<>();
            AtomicBoolean hasLoaded = new AtomicBoolean();
            TicketQueue queue = loseConnection(proxy, store, "loading", areAsked, words -> {
                boolean isLoading = words.contains(Script.TAKE.digest()) && hasLoaded.compareAndSet(false, true);
                return isLoading ? "LOADING Redis is loading the dataset in memory" : FaultProxy.FORWARD;
            });
            assertAreNumberedInOrder(queue, areAsked);
        }
    }

    /** Somebody has asked for the queue before, and waits for no ticket. */
    @Test
    void take_serverIsStillLoadingWhenItIsAskedForTheQueueBefore_areNumberedInTheOrderOfTheCalls() {
        try (FaultProxy proxy = new FaultProxy(server.port());
                RedisTicketStore store = store(proxy.address())) {
            CompletableFuture<Void> areAsked = new CompletableFuture<>();
            AtomicInteger loading = new AtomicInteger();
            TicketQueue queue = loseConnection(proxy, store, "loading-behind-a-look", areAsked, words -> {
                boolean isLook = words.contains(Script.TICKETS.digest());
                if (!isLook && !words.contains(Script.TAKE.digest())) {
                    return FaultProxy.FORWARD;
                }
                return switch (loading.incrementAndGet()) {
                    case 1, 2 -> FaultProxy.ALONG + "LOADING Redis is loading the dataset in memory";
                    case 3 -> FaultProxy.LOSE_REPLY;
                    default -> FaultProxy.FORWARD;
                };
            });
            queue.tickets();
            assertAreNumberedInOrder(queue, areAsked);
        }
    }

    /**
     * A queue of a session whose connection has been lost, and which has no other before all are asked.
     *
     * @param rule for what is sent by that
     */
    private static TicketQueue loseConnection(
            FaultProxy proxy,
            RedisTicketStore store,
            String name,
            CompletableFuture<Void> areAsked,
            Function<List<String>, String> rule) {
        CompletableFuture<Void> isLost = new CompletableFuture<>();
        Session session = open(store, new Nobody() {
            @Override
            public void suspect(String problem) {
                isLost.complete(null);
            }
        });
        TicketQueue queue = session.queue(name);
        proxy.rule(words -> {
            if (words.contains(Script.INSPECT.digest()) && !isLost.isDone()) {
                return FaultProxy.DELAY; // and so the connection is lost
            }
            if (words.get(0).equals("HELLO")) {
                Await.get(areAsked);
            }
            return rule.apply(words);
        });
        queue.inspect();
        Await.get(isLost);
        return queue;
    }

    /** They are called for when there is another connection, by which nothing has been answered yet. */
    @Test
    void take_connectionIsNewAndServerIsStillLoading_areNumberedInTheOrderOfTheCalls() {
        try (FaultProxy proxy = new FaultProxy(server.port());
                RedisTicketStore store = store(proxy.address())) {
            TicketQueue queue = open(store).queue("new");
            CompletableFuture<Void> areAsked = new CompletableFuture<>();
            connectAgainWhileLoading(proxy, queue, Script.TAKE, areAsked);
            assertAreNumberedInOrder(queue, areAsked);
        }
    }

    /** It has loaded its data when it has refused the removal; both are called for when nothing has been answered yet. */
    @Test
    void take_removalBeforeItIsRefusedByAServerThatIsStillLoading_isDrawnBehindTheRemoval() {
        try (FaultProxy proxy = new FaultProxy(server.port());
                RedisTicketStore store = store(proxy.address())) {
            TicketQueue queue = open(store).queue("removal");
            Ticket former = Await.get(queue.take(request(0))).ticket();
            CompletableFuture<Void> areAsked = new CompletableFuture<>();
            connectAgainWhileLoading(proxy, queue, Script.REMOVE, areAsked);
            queue.remove(former);
            CompletionStage<Place> next = queue.take(request(1));
            areAsked.complete(null);

            assertThat(Await.get(next).ahead()).isEmpty();
        }
    }

    /**
     * The connection is lost, and by the next one nothing is answered before all are asked; then the server, which is still loading
     * its data, refuses a script once.
     */
    private static void connectAgainWhileLoading(
            FaultProxy proxy, TicketQueue queue, Script refused, CompletableFuture<Void> areAsked) {
        AtomicInteger inspections = new AtomicInteger();
        AtomicBoolean hasLoaded = new AtomicBoolean();
        proxy.rule(words -> {
            if (words.contains(Script.INSPECT.digest())) {
                if (inspections.incrementAndGet() == 1) {
                    return FaultProxy.DELAY; // and so the connection is lost
                }
                Await.get(areAsked);
            }
            boolean isLoading = words.contains(refused.digest()) && hasLoaded.compareAndSet(false, true);
            return isLoading ? "LOADING Redis is loading the dataset in memory" : FaultProxy.FORWARD;
        });
        queue.inspect();
        await().until(() -> inspections.get() == 2);
    }

    /**
     * Those behind the first that is refused are sent together, and the next one by itself; of these the server refuses the first, too,
     * and that is heard after the tickets of the others.
     */
    @Test
    void take_firstTwoByANewConnectionAreRefused_othersAreNumberedInTheOrderOfTheCalls() {
        try (FaultProxy proxy = new FaultProxy(server.port());
                HeldWriter writer = new HeldWriter();
                RedisTicketStore store = writer.store(proxy.address())) {
            TicketQueue queue = open(store).queue("refused-twice");
            AtomicInteger inspections = new AtomicInteger();
            CompletableFuture<Void> areAsked = new CompletableFuture<>();
            CompletableFuture<Void> isSecondSent = new CompletableFuture<>();
            CompletableFuture<Void> isLastSent = new CompletableFuture<>();
            String busy = "BUSY Redis is busy running a script.";
            proxy.rule(words -> {
                if (words.contains(Script.INSPECT.digest()) && inspections.incrementAndGet() == 1) {
                    return FaultProxy.DELAY; // and so the connection is lost
                }
                if (isLastSent.isDone() || !words.get(0).startsWith("EVAL")) {
                    return FaultProxy.FORWARD;
                }
                Await.get(areAsked);
                if (words.contains("r1") && isSecondSent.complete(null)) {
                    Await.get(isLastSent);
                }
                return busy;
            });
            queue.inspect();
            await().until(() -> inspections.get() == 2);
            CompletionStage<Place> first = queue.take(request(0));
            CompletionStage<Place> second = queue.take(request(1));
            List<CompletionStage<Place>> others = new ArrayList<>(List.of(queue.take(request(2))));
            areAsked.complete(null);
            Await.get(isSecondSent);
            writer.hold();
            others.add(queue.take(request(3)));
            CompletionStage<?> behind = queue.tickets();
            isLastSent.complete(null);
            Await.get(behind); // by then the tickets of the others have been shown
            writer.goOn();

            assertNumberedInOrder(others);
            List.of(first, second).forEach(Await::failure);
        }
    }

    private static void assertAreNumberedInOrder(TicketQueue queue, CompletableFuture<Void> areAsked) {
        List<CompletionStage<Place>> places = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            places.add(queue.take(request(i)));
        }
        areAsked.complete(null);

        assertNumberedInOrder(places);
    }

    private static void assertNumberedInOrder(List<CompletionStage<Place>> places) {
        assertThat(places.stream()
                        .map(place -> Await.get(place).ticket().number())
                        .toList())
                .isSorted();
    }

    /** Whoever sees the queue and an older notice might count on more permits than there are. */
    @Test
    void notice_takeBeforeItIsInDoubtAndRefused_isNoOlderThanTheTicket() {
        noticeIsReadBehindInDoubt(Script.TAKE, queue -> queue.take(request(1)));
    }

    @Test
    void notice_queueWasAskedForBeforeAndIsRefused_isNoOlderThanTheQueue() {
        noticeIsReadBehindInDoubt(Script.TICKETS, TicketQueue::tickets);
    }

    /** The first try is lost, and the next ones are refused for a while. */
    private void noticeIsReadBehindInDoubt(Script script, Function<TicketQueue, CompletionStage<?>> request) {
        try (FaultProxy proxy = new FaultProxy(server.port());
                RedisTicketStore store = store(proxy.address());
                RedisTicketStore others = store(server.address())) {
            TicketQueue queue = open(store).queue("notice");
            TicketQueue other = open(others).queue("notice");
            AtomicInteger tries = new AtomicInteger();
            AtomicBoolean busy = new AtomicBoolean(true);
            proxy.rule(words -> {
                if (!busy.get() || words.size() < 2 || !words.get(1).equals(script.digest())) {
                    return FaultProxy.FORWARD;
                }
                return tries.incrementAndGet() == 1 ? FaultProxy.DELAY : "BUSY Redis is busy running a script.";
            });
            CompletionStage<?> asked = request.apply(queue);
            CompletionStage<Notice> notice = queue.notice();
            await().until(() -> tries.get() > 3); // there has been time for the notice

            String newer = UUID.randomUUID().toString();
            Await.get(other.post(Await.get(other.notice()), newer));
            busy.set(false);

            Await.get(asked);
            assertThat(Await.get(notice).text()).isEqualTo(newer);
        }
    }

    /** As when the process is paused just when it is told. */
    @Test
    void notice_queueIsAskedForWhileANoticeIsToldThatIsNotTheLast_isNoOlderThanTheQueue() {
        try (RedisTicketStore store = store(server.address());
                RedisTicketStore others = store(server.address())) {
            TicketQueue queue = open(store).queue("told");
            TicketQueue other = open(others).queue("told");
            CompletableFuture<Notice> read = new CompletableFuture<>();
            AtomicBoolean armed = new AtomicBoolean();
            queue.onNotice(() -> {
                if (armed.compareAndSet(true, false)) {
                    Await.get(other.post(Await.get(other.notice()), "last"));
                    queue.take(request(1)).thenCombine(queue.notice(), (place, notice) -> read.complete(notice));
                }
            });
            Notice there = Await.get(queue.notice()); // by now it is watched
            armed.set(true);

            Await.get(other.post(there, "first"));

            assertThat(Await.get(read).text()).isEqualTo("last");
        }
    }

    /** Otherwise a change between what was read and the beginning of the watch would be told to nobody. */
    @Test
    void notice_serverHasForgottenTheScriptOfAWatchBeforeIt_isNoOlderThanTheWatch() {
        noticeIsReadBehind(Script.HEED, queue -> queue.onNotice(() -> {}));
    }

    @Test
    void notice_serverHasForgottenTheScriptOfATakeBeforeIt_isNoOlderThanTheTicket() {
        noticeIsReadBehind(Script.TAKE, queue -> queue.take(request(1)));
    }

    /** As when the connection leads to a former master, or to a server that has just been loading its data. */
    @Test
    void notice_takeBeforeItIsForAnotherServer_isNoOlderThanTheTicket() {
        noticeIsReadBehind(
                Script.TAKE, "READONLY You can't write against a read only replica.", queue -> queue.take(request(1)));
    }

    private void noticeIsReadBehind(Script forgotten, Consumer<TicketQueue> request) {
        noticeIsReadBehind(forgotten, "NOSCRIPT No matching script. Please use EVAL.", request);
    }

    /** It changes when what the server has refused is sent again. */
    private void noticeIsReadBehind(Script refused, String refusal, Consumer<TicketQueue> request) {
        try (FaultProxy proxy = new FaultProxy(server.port());
                RedisTicketStore store = store(proxy.address());
                RedisTicketStore others = store(server.address())) {
            TicketQueue queue = open(store).queue("refused");
            TicketQueue other = open(others).queue("refused");
            Notice there = Await.get(other.notice());
            String newer = UUID.randomUUID().toString();
            CountDownLatch isAsked = new CountDownLatch(1);
            AtomicInteger tries = new AtomicInteger();
            proxy.rule(words -> {
                boolean isRequest = words.size() > 1
                        && (words.get(1).equals(refused.digest())
                                || words.get(1).equals(refused.text()));
                if (isRequest && words.get(0).startsWith("EVAL")) {
                    if (tries.incrementAndGet() == 1) {
                        neverPass(isAsked); // so both are on their way
                        return FaultProxy.ALONG + refusal;
                    }
                    Await.get(other.post(there, newer));
                }
                return FaultProxy.FORWARD;
            });
            request.accept(queue);
            CompletionStage<Notice> notice = queue.notice();
            isAsked.countDown();

            assertThat(Await.get(notice).text()).isEqualTo(newer);
        }
    }

    /** Another client has told the server what it had forgotten when it was asked the first. */
    @Test
    void take_serverHasForgottenTheScriptOfTheRemovalBeforeIt_isDrawnBehindTheRemoval() {
        try (FaultProxy proxy = new FaultProxy(server.port());
                RedisTicketStore store = store(proxy.address())) {
            TicketQueue queue = open(store).queue("forgotten-removal");
            Ticket former = Await.get(queue.take(request(0))).ticket();
            CompletableFuture<Void> isAsked = new CompletableFuture<>();
            CompletableFuture<Void> isWritten = forgetOnce(proxy, Script.REMOVE, isAsked);

            CompletionStage<Boolean> removed = queue.remove(former);
            Await.get(isWritten);
            CompletionStage<Place> next = queue.take(new TicketRequest("r1", Mode.EXCLUSIVE, 1, "text"));
            isAsked.complete(null);

            assertThat(Await.get(next).ahead()).isEmpty();
            assertThat(Await.get(removed)).isTrue();
            assertThat(Await.get(queue.inspect()))
                    .singleElement()
                    .satisfies(only ->
                            assertThat(only.ticket()).isEqualTo(Await.get(next).ticket()))
                    .satisfies(only -> assertThat(only.metadata()).isEqualTo("text"));
        }
    }

    /** It is drawn again, and the answer is lost. */
    @Test
    void take_serverHasForgottenTheScriptOfTheRemovalBeforeItAndAReplyIsLost_keepsWhatIsWrittenOnIt() {
        try (FaultProxy proxy = new FaultProxy(server.port());
                RedisTicketStore store = store(proxy.address())) {
            TicketQueue queue = open(store).queue("forgotten-and-lost");
            Ticket former = Await.get(queue.take(request(0))).ticket();
            CompletableFuture<Void> isAsked = new CompletableFuture<>();
            AtomicBoolean isForgotten = new AtomicBoolean();
            AtomicInteger takes = new AtomicInteger();
            proxy.rule(words -> {
                if (words.contains(Script.REMOVE.digest()) && isForgotten.compareAndSet(false, true)) {
                    Await.get(isAsked);
                    return FaultProxy.ALONG + "NOSCRIPT No matching script. Please use EVAL.";
                }
                boolean isSecond = words.contains(Script.TAKE.digest()) && takes.incrementAndGet() == 2;
                return isSecond ? FaultProxy.LOSE_REPLY : FaultProxy.FORWARD;
            });

            queue.remove(former);
            await().untilTrue(isForgotten);
            CompletionStage<Place> next = queue.take(new TicketRequest("r1", Mode.EXCLUSIVE, 1, "text"));
            isAsked.complete(null);

            Await.get(next);
            assertThat(Await.get(queue.inspect()))
                    .singleElement()
                    .satisfies(only -> assertThat(only.metadata()).isEqualTo("text"));
        }
    }

    /** Another client has told the server the script when it had refused the first of them. */
    @Test
    void take_serverHasForgottenTheScriptOnlyForTheFirst_areNumberedInTheOrderOfTheCalls() {
        try (FaultProxy proxy = new FaultProxy(server.port());
                RedisTicketStore store = store(proxy.address())) {
            TicketQueue queue = open(store).queue("forgotten-take");
            CompletableFuture<Void> areAsked = new CompletableFuture<>();
            forgetOnce(proxy, Script.TAKE, areAsked);

            List<CompletionStage<Place>> places = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                places.add(queue.take(request(i)));
            }
            areAsked.complete(null);

            List<Ticket> taken =
                    places.stream().map(place -> Await.get(place).ticket()).toList();
            assertThat(taken).isSorted();
            assertThat(Await.get(queue.tickets())).isEqualTo(taken);
        }
    }

    /** Both are called for again, and of the second there is a ticket by then. */
    @Test
    void take_serverHasForgottenTheScriptOnlyForTheFirstAndTheReplyOfTheSecondIsLost_areNumberedInTheOrderOfTheCalls() {
        try (FaultProxy proxy = new FaultProxy(server.port());
                RedisTicketStore store = store(proxy.address())) {
            TicketQueue queue = open(store).queue("forgotten-take-and-lost");
            CompletableFuture<Void> areAsked = new CompletableFuture<>();
            AtomicInteger takes = new AtomicInteger();
            proxy.rule(words -> {
                if (!words.contains(Script.TAKE.digest())) {
                    return FaultProxy.FORWARD;
                }
                Await.get(areAsked);
                return switch (takes.incrementAndGet()) {
                    case 1 -> FaultProxy.ALONG + "NOSCRIPT No matching script. Please use EVAL.";
                    case 2 -> FaultProxy.LOSE_REPLY;
                    default -> FaultProxy.FORWARD;
                };
            });

            List<CompletionStage<Place>> places = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                places.add(queue.take(request(i)));
            }
            areAsked.complete(null);

            List<Ticket> taken =
                    places.stream().map(place -> Await.get(place).ticket()).toList();
            assertThat(taken).isSorted();
            assertThat(Await.get(queue.tickets())).isEqualTo(taken);
        }
    }

    /** A take that travels with a removal is drawn anew, and what became of the removal stays. */
    @Test
    void take_serverHasForgottenTheScriptForTheOneBeforeAndARemovalGoesAlong_areNumberedInTheOrderOfTheCalls() {
        try (FaultProxy proxy = new FaultProxy(server.port());
                HeldWriter writer = new HeldWriter();
                RedisTicketStore store = writer.store(proxy.address())) {
            TicketQueue queue = open(store).queue("forgotten-along");
            Ticket former = Await.get(queue.take(request(0))).ticket();
            CompletableFuture<Void> isAsked = new CompletableFuture<>();
            AtomicBoolean isForgotten = new AtomicBoolean();
            proxy.rule(words -> {
                if (words.contains(Script.DESCRIBE.digest())) {
                    Await.get(isAsked);
                }
                return words.contains(Script.TAKE.digest()) && isForgotten.compareAndSet(false, true)
                        ? FaultProxy.ALONG + "NOSCRIPT No matching script. Please use EVAL."
                        : FaultProxy.FORWARD;
            });
            writer.hold();
            CompletionStage<Void> stuck =
                    queue.describe(former, "").thenRun(() -> queue.describe(former, "")); // by the connection's thread
            CompletionStage<Place> first = queue.take(request(1));
            isAsked.complete(null);
            Await.get(stuck);
            CompletionStage<Boolean> removed = queue.remove(former);
            CompletionStage<Place> second = queue.take(request(2));
            writer.goOn();

            List<Ticket> taken =
                    List.of(Await.get(first).ticket(), Await.get(second).ticket());
            assertThat(taken).isSorted();
            assertThat(Await.get(removed)).isTrue();
            assertThat(Await.get(queue.tickets())).isEqualTo(taken);
        }
    }

    /**
     * The server does not know a script when it is to be carried out first, and says so when what comes behind it has been.
     *
     * @param isAsked completes when that has been called for
     * @return completes when it has been written
     */
    private static CompletableFuture<Void> forgetOnce(
            FaultProxy proxy, Script script, CompletableFuture<Void> isAsked) {
        CompletableFuture<Void> isWritten = new CompletableFuture<>();
        proxy.rule(words -> {
            if (words.contains(script.digest()) && isWritten.complete(null)) {
                Await.get(isAsked);
                return FaultProxy.ALONG + "NOSCRIPT No matching script. Please use EVAL.";
            }
            return FaultProxy.FORWARD;
        });
        return isWritten;
    }

    /** What the server has carried out after all is heard when the session has left the connection, which others use, too. */
    @Test
    void take_serverIsNotInChargeOfTheOneBeforeItAndItsOwnAnswerIsLate_areNumberedInTheOrderOfTheCalls() {
        try (FaultProxy proxy = new FaultProxy(server.port());
                RedisTicketStore store = store(proxy.address())) {
            open(store);
            CompletableFuture<Void> isLeft = new CompletableFuture<>();
            Session session = open(store, new Nobody() {
                @Override
                public void suspect(String problem) {
                    isLeft.complete(null);
                }
            });
            AtomicBoolean isRefused = new AtomicBoolean();
            proxy.rule(words -> {
                if (words.contains("r0") && isRefused.compareAndSet(false, true)) {
                    return "TRYAGAIN Multiple keys request during rehashing of slot";
                }
                if (words.contains("r1")) {
                    Await.get(isLeft);
                }
                return FaultProxy.FORWARD;
            });
            TicketQueue queue = session.queue("late-answer");

            assertNumberedInOrder(List.of(queue.take(request(0)), queue.take(request(1))));
        }
    }

    /** The one that is drawn anew had been carried out by a connection that was lost before the answer of the next one came. */
    @Test
    void take_theOneBeforeItIsDrawnAnewByTheNextConnection_areNumberedInTheOrderOfTheCalls() {
        try (FaultProxy proxy = new FaultProxy(server.port());
                RedisTicketStore store = store(proxy.address())) {
            TicketQueue queue = open(store).queue("drawn-anew");
            AtomicInteger triesOfTheFirst = new AtomicInteger();
            AtomicBoolean isLost = new AtomicBoolean();
            proxy.rule(words -> {
                if (words.contains("r0")) {
                    return triesOfTheFirst.incrementAndGet() == 1
                            ? FaultProxy.ALONG + "NOSCRIPT No matching script. Please use EVAL."
                            : "BUSY Redis is busy running a script.";
                }
                return words.contains("r2") && isLost.compareAndSet(false, true)
                        ? FaultProxy.LOSE_REPLY
                        : FaultProxy.FORWARD;
            });
            queue.take(request(0));

            assertNumberedInOrder(List.of(queue.take(request(1)), queue.take(request(2))));
        }
    }

    /** Otherwise whoever waits for that one would wait until the client has asked for all that it wants. */
    @Test
    void remove_behindManyTakesOfOtherLocks_isAnsweredBeforeMostOfThem() {
        isAnsweredBeforeMostTakes(
                TicketQueue::take, (session, held) -> session.queue(HELD).remove(held));
    }

    /** As semaphores ask for their permits, and how many there are. */
    @Test
    void remove_behindManyTakesOfOtherLocksWithTheirNotices_isAnsweredBeforeMostOfThem() {
        isAnsweredBeforeMostTakes(
                (queue, request) -> queue.take(request).thenCombine(queue.notice(), (place, notice) -> notice),
                (session, held) -> session.queue(HELD).remove(held));
    }

    /** Who waits in that queue already reads it, and not who asks for the ticket. */
    @Test
    void notice_aTicketOfThatNameIsAskedForBehindManyTakes_isAnsweredBeforeMostOfThem() {
        isAnsweredBeforeMostTakes(TicketQueue::take, (session, held) -> {
            session.queue(HELD).take(request(MANY));
            return session.queue(HELD).notice();
        });
    }

    /** Otherwise nobody could use the ticket, and nobody behind it, until the client has asked for all that it wants. */
    @Test
    void notice_ticketWithWhichItIsReadTravelsWithARemoval_isAnsweredBeforeMostOtherTakes() {
        isAnsweredBeforeMostTakes(TicketQueue::take, (session, held) -> {
            TicketQueue queue = session.queue(HELD);
            queue.remove(held);
            queue.take(request(MANY));
            return queue.notice();
        });
    }

    /**
     * @param take asks for a ticket of another lock, and perhaps for more
     * @param asked what is called for behind very many of these, given the ticket that is held
     */
    private void isAnsweredBeforeMostTakes(
            BiFunction<TicketQueue, TicketRequest, CompletionStage<?>> take,
            BiFunction<Session, Ticket, CompletionStage<?>> asked) {
        try (FaultProxy proxy = new FaultProxy(server.port());
                RedisTicketStore store = store(proxy.address())) {
            Session session = open(store);
            Ticket ticket =
                    Await.get(session.queue(HELD).take(request(MANY + 1))).ticket();
            CountDownLatch allAreAsked = new CountDownLatch(1);
            proxy.rule(words -> {
                neverPass(allAreAsked);
                return FaultProxy.FORWARD;
            });
            AtomicInteger taken = new AtomicInteger();
            List<CompletionStage<?>> takes = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                takes.add(take.apply(session.queue("many/" + i), request(i)).thenRun(taken::incrementAndGet));
            }
            CompletionStage<Integer> takenBefore = asked.apply(session, ticket).thenApply(answer -> taken.get());
            allAreAsked.countDown();

            assertThat(Await.get(takenBefore)).isLessThan(MANY / 10);
            takes.forEach(Await::get);
        }
    }

    /**
     * A removal goes before the takes of other locks that were called for before it; so a take that travels with it would be
     * numbered behind them, and come before them: then the server would hold them for late ones, and give them no tickets.
     */
    @Test
    void take_removalBeforeItIsSentAheadOfOthersAndIsNotWrittenYet_allGetTheirTickets() {
        int many = 500; // more than are under way at once
        try (FaultProxy proxy = new FaultProxy(server.port());
                HeldWriter writer = new HeldWriter();
                RedisTicketStore store = writer.store(proxy.address())) {
            Session session = open(store);
            TicketQueue held = session.queue("ahead");
            Ticket former = Await.get(held.take(request(0))).ticket();
            CountDownLatch allAreAsked = new CountDownLatch(1);
            proxy.rule(words -> {
                neverPass(allAreAsked);
                return FaultProxy.FORWARD;
            });
            List<CompletionStage<Place>> places = new ArrayList<>();
            for (int i = 1; i <= many; i++) {
                places.add(session.queue("others/" + i).take(request(i)));
            }
            CompletionStage<Boolean> removed = held.remove(former);
            writer.hold();
            allAreAsked.countDown();
            Await.get(places.get(100)); // of those that were under way, so that the removal is by now, too
            CompletionStage<Place> next = held.take(request(many + 1));
            writer.goOn();

            assertThat(Await.get(removed)).isTrue();
            assertThat(Await.get(next).ahead()).isEmpty();
            places.forEach(Await::get);
        }
    }

    /** A client's requests are written by a thread of its own, which can be made to stand still. */
    private static final class HeldWriter implements AutoCloseable {

        private final DefaultEventExecutorGroup writers = new DefaultEventExecutorGroup(1);
        private final ClientResources resources =
                ClientResources.builder().eventExecutorGroup(writers).build();
        private final RedisClient lettuce = RedisClient.create(resources);
        private final CountDownLatch mayWrite = new CountDownLatch(1);

        RedisTicketStore store(String address) {
            return RedisTicketStore.over(lettuce, StoreUri.parse("redis://" + address + "?restartGuard=off"));
        }

        /** What is sent from now on is written when it goes on. */
        void hold() {
            writers.submit(() -> neverPass(mayWrite));
        }

        void goOn() {
            mayWrite.countDown();
        }

        @Override
        public void close() {
            goOn();
            lettuce.close();
            resources.shutdown();
            writers.shutdownGracefully();
        }
    }

    private static RedisTicketStore store(String address) {
        return RedisTicketStore.of(StoreUri.parse("redis://" + address + "?restartGuard=off"));
    }

    private static Session open(RedisTicketStore store) {
        return open(store, new Nobody());
    }

    private static Session open(RedisTicketStore store, SessionListener listener) {
        return Await.get(store.open(new SessionOptions("test", Duration.ofMinutes(1)), listener));
    }

    private static TicketRequest request(int number) {
        return new TicketRequest("r" + number, Mode.EXCLUSIVE, 1, "");
    }

    private static void neverPass(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }
}
