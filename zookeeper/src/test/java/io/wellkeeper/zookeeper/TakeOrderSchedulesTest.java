package io.wellkeeper.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Takes of two queues, by a server that carries out, refuses, and loses requests and answers as chance will have it. */
class TakeOrderSchedulesTest {

    private static final int TAKES = 12;

    private final TakeOrder order = new TakeOrder();
    private final List<Take> all = new ArrayList<>();
    private final List<Request> wire = new ArrayList<>(); // sent, and not answered
    private final List<Request> lost = new ArrayList<>(); // with the connection, which nobody has said yet
    private final List<Runnable> later = new ArrayList<>(); // in any order
    private Random chance = new Random();
    private int numbers;

    private interface Request {

        void isCarriedOut();

        void isLost();

        void isAnswered();
    }

    /** Answered with the largest number that there is. */
    private final class Question implements Request {
        private final CompletableFuture<Integer> answer = new CompletableFuture<>();

        @Override
        public void isCarriedOut() {}

        @Override
        public void isLost() {
            answer.completeExceptionally(new IllegalStateException("lost"));
        }

        @Override
        public void isAnswered() {
            answer.complete(numbers);
        }
    }

    private CompletionStage<Integer> ask() {
        Question question = new Question();
        wire.add(question);
        return question.answer;
    }

    private final class Take implements Request {
        private final String queue;
        private final TakeOrder.Turn turn;
        private int number; // 0 if the server has no such ticket
        private boolean counts;
        private boolean failed;
        private CompletionStage<Integer> shown = new CompletableFuture<>(); // to who asked behind it

        Take(String queue) {
            this.queue = queue;
            this.turn = order.new Turn(queue, () -> chance.nextInt(4) > 0, this::anew);
        }

        void send() {
            assertThat(wire).doesNotContain(this);
            assertThat(number).isZero();
            wire.add(this);
        }

        void anew() {
            assertThat(counts).isFalse();
            later.add(() -> {
                number = 0;
                turn.send(this::send);
            });
        }

        void numbered() {
            turn.numbered(() -> {
                assertThat(number).isPositive();
                counts = true;
                later.add(turn::over);
            });
        }

        @Override
        public void isCarriedOut() {
            number = ++numbers;
        }

        @Override
        public void isLost() {
            turn.doubted();
            later.add(this::recover);
        }

        /** Fails, or is answered one way or the other. */
        @Override
        public void isAnswered() {
            switch (chance.nextInt(10)) {
                case 0 -> {
                    failed = true;
                    turn.over();
                }
                case 1 -> turn.send(this::send);
                default -> {
                    isCarriedOut();
                    numbered();
                }
            }
        }

        void recover() {
            if (number > 0) {
                numbered();
            } else {
                turn.send(this::send);
            }
        }
    }

    private void breakConnection() {
        wire.subList(0, chance.nextInt(wire.size() + 1)).forEach(Request::isCarriedOut);
        lost.addAll(wire);
        wire.clear();
    }

    private boolean step() {
        int what = chance.nextInt(12);
        if (what < 4 && all.size() < TAKES) {
            Take take = new Take(chance.nextInt(3) > 0 ? "queue" : "another");
            all.add(take);
            take.turn.send(take::send);
            take.shown = order.behind(take.queue, this::ask);
        } else if (what == 4 && lost.isEmpty()) {
            breakConnection();
        } else if (what < 7 && !lost.isEmpty()) {
            lost.remove(0).isLost();
        } else if (what < 9 && !later.isEmpty()) {
            later.remove(chance.nextInt(later.size())).run();
        } else if (!wire.isEmpty() && lost.isEmpty()) {
            wire.remove(0).isAnswered();
        }
        return all.size() < TAKES || !lost.isEmpty() || !later.isEmpty() || !wire.isEmpty();
    }

    private List<Integer> counted(String queue) {
        return all.stream()
                .filter(take -> take.queue.equals(queue) && take.counts)
                .map(take -> take.number)
                .toList();
    }

    private static boolean isShownNothingOlder(Take take) {
        CompletableFuture<Integer> shown = take.shown.toCompletableFuture();
        return shown.isCompletedExceptionally() || !take.counts || shown.join() >= take.number;
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1_000, 2_000, 3_000})
    void schedules_ofManySeeds_eachTicketCountsInTheOrderOfTheCalls(long first) {
        for (long seed = first; seed < first + 1_000; seed++) {
            chance = new Random(seed);
            all.clear();
            numbers = 0;
            boolean more = true;
            while (more) {
                more = step();
            }

            assertThat(all).as("seed %d", seed).allMatch(take -> take.counts != take.failed);
            assertThat(counted("queue")).as("seed %d", seed).isSorted();
            assertThat(counted("another")).as("seed %d", seed).isSorted();
            assertThat(all).as("seed %d", seed).allMatch(TakeOrderSchedulesTest::isShownNothingOlder);
        }
    }
}
