package io.wellkeeper.internal;

import io.wellkeeper.spi.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.IntSupplier;

/**
 * Joins the questions that many callers ask about one name at the same time. Only so many questions are under way at
 * once. The callers that ask meanwhile are answered together, by one question that is put as soon as one of the others
 * has been answered. So the cost of all of them does not grow with the square of their number.
 *
 * @param <T> the answer
 */
final class JointQuestions<T> {

    private final int most;
    private final Time time;
    private final Monitor lock = new Monitor(); // guards the lines
    private final Map<String, Line<T>> lines = new HashMap<>(); // by name, while a question is under way

    private static final class Line<T> {

        private int underWay;
        private List<CompletableFuture<T>> waiting = new ArrayList<>();
    }

    /** @param most how many are under way at once */
    JointQuestions(int most, Time time) {
        this.most = most;
        this.time = time;
    }

    /**
     * Asks.
     *
     * @param question is told for how many callers it is put; a caller that has completed its future counts no more
     * @return the answer to a question that is put from now on; a caller that waits no longer may complete it
     */
    CompletableFuture<T> ask(String name, Function<IntSupplier, CompletionStage<T>> question) {
        CompletableFuture<T> mine = new CompletableFuture<>();
        lock.lock();
        try {
            Line<T> line = lines.computeIfAbsent(name, unused -> new Line<>());
            if (line.underWay >= most) {
                line.waiting.add(mine);
                return mine;
            }
            line.underWay++;
        } finally {
            lock.unlock();
        }
        put(name, List.of(mine), question);
        return mine;
    }

    private void put(
            String name, List<CompletableFuture<T>> askers, Function<IntSupplier, CompletionStage<T>> question) {
        IntSupplier wanted =
                () -> (int) askers.stream().filter(one -> !one.isDone()).count();
        Calls.stage(() -> question.apply(wanted)).whenComplete((answer, failure) -> {
            answered(name, question);
            for (CompletableFuture<T> asker : askers) {
                if (failure == null) {
                    asker.complete(answer);
                } else {
                    asker.completeExceptionally(failure);
                }
            }
        });
    }

    /** Has the timer put the next question: answers may come at once, and others may ask all the while. */
    private void answered(String name, Function<IntSupplier, CompletionStage<T>> question) {
        List<CompletableFuture<T>> askers;
        lock.lock();
        try {
            Line<T> line = Objects.requireNonNull(lines.get(name));
            askers = line.waiting;
            if (askers.isEmpty()) {
                line.underWay--;
                if (line.underWay == 0) {
                    lines.remove(name);
                }
                return;
            }
            line.waiting = new ArrayList<>();
        } finally {
            lock.unlock();
        }
        time.schedule(Duration.ZERO, () -> put(name, askers, question));
    }
}
