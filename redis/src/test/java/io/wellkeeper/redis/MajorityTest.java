package io.wellkeeper.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wellkeeper.LockStoreException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Which of several answers counts. */
class MajorityTest {

    private final List<CompletableFuture<String>> answers =
            Stream.generate(CompletableFuture<String>::new).limit(5).toList();
    private final CompletableFuture<String> result = Majority.of(answers);

    private void say(String... opinions) {
        for (int i = 0; i < opinions.length; i++) {
            answers.get(i).complete(opinions[i]);
        }
    }

    private void failFrom(int first) {
        answers.subList(first, answers.size())
                .forEach(answer -> answer.completeExceptionally(new LockStoreException("no answer")));
    }

    @Test
    void of_mostHaveAgreed_isThatAndTheRestIsNotWaitedFor() {
        say("stale", "new", "new", "new");

        assertThat(result).isCompletedWithValue("new");
    }

    @Test
    void of_restFails_isWhatMostOfTheOthersSay() {
        say("stale", "new", "new");
        failFrom(3);

        assertThat(result).isCompletedWithValue("new");
    }

    @Test
    void of_asManySayOneAsTheOther_isTheEarlier() {
        say("new", "stale", "stale", "new");
        failFrom(4);

        assertThat(result).isCompletedWithValue("new");
    }

    @Test
    void of_othersAreSilent_isWhatMostSaySoFar() {
        say("stale", "new", "new");

        assertThat(Await.get(result)).isEqualTo("new");
    }

    @Test
    void of_allFail_fails() {
        failFrom(0);

        assertThatThrownBy(result::join).hasCauseInstanceOf(LockStoreException.class);
    }

    @Test
    void of_oneIsAsked_isWhatItSays() {
        assertThat(Majority.of(List.of(CompletableFuture.completedFuture("only"))))
                .isCompletedWithValue("only");
    }
}
