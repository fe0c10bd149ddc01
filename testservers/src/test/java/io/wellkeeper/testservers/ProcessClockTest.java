package io.wellkeeper.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ProcessClockTest {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration INACCURACY = Duration.ofMinutes(10);

    @Test
    void move_whileAProcessRuns_setsItsTimeOfDay() throws IOException {
        assumeTrue(ProcessClock.isPossible(), "there is no C compiler");
        try (ProcessClock clock = ProcessClock.start()) {
            ProcessBuilder builder = new ProcessBuilder("bash", "-c", "while read -r; do echo $EPOCHSECONDS; done");
            builder.environment().putAll(clock.environment());
            Process process = builder.start();
            try (BufferedReader answers = process.inputReader(StandardCharsets.US_ASCII);
                    Writer questions = process.outputWriter(StandardCharsets.US_ASCII)) {
                assertThat(ahead(questions, answers)).isCloseTo(Duration.ZERO, INACCURACY);
                clock.move(HOUR);
                assertThat(ahead(questions, answers)).isCloseTo(HOUR, INACCURACY);
                clock.move(HOUR.multipliedBy(-2));
                assertThat(ahead(questions, answers)).isCloseTo(HOUR.negated(), INACCURACY);
            } finally {
                process.destroyForcibly();
            }
        }
    }

    private static Duration ahead(Writer questions, BufferedReader answers) throws IOException {
        questions.write("\n");
        questions.flush();
        return Duration.between(Instant.now(), Instant.ofEpochSecond(Long.parseLong(answers.readLine())));
    }
}
