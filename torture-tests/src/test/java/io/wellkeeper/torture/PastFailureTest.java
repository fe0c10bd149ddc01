package io.wellkeeper.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class PastFailureTest {

    @Test
    void faults_ofAll_areAllThatThereAre() {
        assertThat(Arrays.stream(PastFailure.values()).flatMap(failure -> failure.faults().stream()))
                .contains(FaultKind.values());
    }

    @Test
    void of_everyName_isTheScenarioAndNoFault() {
        for (PastFailure failure : PastFailure.values()) {
            assertThat(PastFailure.of(failure.word())).contains(failure);
            assertThat(FaultKind.of(failure.word())).isEmpty();
        }
        assertThat(PastFailure.of("kill")).isEmpty();
        assertThat(TortureRun.scenarios()).hasSameSizeAs(PastFailure.values());
    }
}
