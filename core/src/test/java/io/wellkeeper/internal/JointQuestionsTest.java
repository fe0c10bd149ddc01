package io.wellkeeper.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.Time;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.Test;

/** Who shares an answer with whom. */
class JointQuestionsTest {

    private static final String NAME = "asked";

    private final Deque<Runnable> due = new ArrayDeque<>();
    private final Time time = new Time() {
        @Override
        public long nanoTime() {
            return 0;
        }

        @Override
        public Registration schedule(Duration delay, Runnable task) {
            due.add(task);
            return Registration.NONE;
        }
    };
    private final JointQuestions<String> questions = new JointQuestions<>(2, time);
    private final List<CompletableFuture<String>> put = new ArrayList<>();
    private final List<IntSupplier> wanted = new ArrayList<>();

    private CompletableFuture<String> ask() {
        return questions.ask(NAME, this::put);
    }

    private CompletionStage<String> put(IntSupplier askers) {
        CompletableFuture<String> answer = new CompletableFuture<>();
        put.add(answer);
        wanted.add(askers);
        return answer;
    }

    private void runDue() {
        while (!due.isEmpty()) {
            due.remove().run();
        }
    }

    @Test
    void ask_fewAsk_eachHasAnAnswerOfItsOwn() {
        CompletableFuture<String> first = ask();
        CompletableFuture<String> second = ask();

        put.get(1).complete("second");
        put.get(0).complete("first");

        assertThat(first).isCompletedWithValue("first");
        assertThat(second).isCompletedWithValue("second");
        assertThat(due).isEmpty();
    }

    @Test
    void ask_moreAskMeanwhile_shareTheAnswerToTheNext() {
        ask();
        CompletableFuture<String> second = ask();
        CompletableFuture<String> third = ask();
        CompletableFuture<String> fourth = ask();
        assertThat(put).hasSize(2);

        put.get(1).complete("too early");
        runDue();

        assertThat(second).isCompletedWithValue("too early");
        assertThat(put).hasSize(3);
        assertThat(wanted.get(2).getAsInt()).isEqualTo(2);
        put.get(2).complete("in time");
        assertThat(third).isCompletedWithValue("in time");
        assertThat(fourth).isCompletedWithValue("in time");
        put.get(0).complete("late");
        assertThat(due).isEmpty();
    }

    @Test
    void ask_oneGivesUp_isNotCounted() {
        ask();
        ask();
        CompletableFuture<String> third = ask();
        ask();
        put.get(0).complete("");
        runDue();

        third.cancel(false);

        assertThat(wanted.get(2).getAsInt()).isEqualTo(1);
    }

    @Test
    void ask_questionFails_theNextIsPut() {
        CompletableFuture<String> first = ask();
        ask();
        CompletableFuture<String> third = ask();

        put.get(0).completeExceptionally(new IllegalStateException("it fails"));
        runDue();

        assertThat(first).isCompletedExceptionally();
        put.get(2).complete("third");
        assertThat(third).isCompletedWithValue("third");
    }

    @Test
    void ask_anotherName_doesNotWait() {
        ask();
        ask();

        CompletableFuture<String> other = questions.ask("other", askers -> CompletableFuture.completedFuture("other"));

        assertThat(other).isCompletedWithValue("other");
    }
}
