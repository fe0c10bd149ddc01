package io.wellkeeper.redis;

import io.wellkeeper.spi.Time;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The answer that most servers give to the same question: a server that is cut off from the others, or has just come
 * back, may answer what was true before. It is decided as soon as more than half agree, or all have answered; and a
 * while after the first answer no other is waited for. Among answers given equally often, the earliest counts.
 */
final class Majority<T> {

    private static final Duration GRACE = Duration.ofSeconds(1); // in which others may answer after the first

    private final int asked;
    private final CompletableFuture<T> result = new CompletableFuture<>();
    private final ReentrantLock lock = new ReentrantLock(); // guards the fields below
    private final Map<T, Integer> opinions = new LinkedHashMap<>(); // by answer, how many gave it; the earliest first
    private int over; // how many have answered, or failed

    private Majority(int asked) {
        this.asked = asked;
    }

    /** Completes when it is decided; if all have failed, it fails as the last of them did. */
    static <T> CompletableFuture<T> of(List<? extends CompletionStage<T>> answers) {
        Majority<T> majority = new Majority<>(answers.size());
        answers.forEach(answer -> answer.whenComplete((opinion, failure) -> {
            if (failure == null) {
                majority.add(opinion);
            } else {
                majority.fail(failure);
            }
        }));
        return majority.result;
    }

    private void add(T opinion) {
        boolean first;
        boolean decided;
        lock.lock();
        try {
            first = opinions.isEmpty();
            int count = opinions.merge(opinion, 1, Integer::sum);
            over++;
            decided = count > asked / 2 || over == asked;
        } finally {
            lock.unlock();
        }
        if (decided) {
            decide();
        } else if (first) {
            Time.later(GRACE, this::decide);
        }
    }

    private void fail(Throwable failure) {
        boolean last;
        boolean nobodySays;
        lock.lock();
        try {
            over++;
            last = over == asked;
            nobodySays = opinions.isEmpty();
        } finally {
            lock.unlock();
        }
        if (last && nobodySays) {
            result.completeExceptionally(Stages.unwrap(failure));
        } else if (last) {
            decide();
        }
    }

    /** Decides by the answers that have come so far; there is one at least. */
    private void decide() {
        T most;
        lock.lock();
        try {
            most = opinions.entrySet().stream()
                    .reduce((one, other) -> other.getValue() > one.getValue() ? other : one)
                    .orElseThrow()
                    .getKey();
        } finally {
            lock.unlock();
        }
        result.complete(most);
    }
}
