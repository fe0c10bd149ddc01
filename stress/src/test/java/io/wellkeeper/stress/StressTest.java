package io.wellkeeper.stress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

class StressTest {

    private final ShortRun shortRun = new ShortRun();

    StressTest() throws Exception {}

    @Tag("full")
    @TestFactory
    Stream<DynamicTest> stress_ofAMoment_showsNothingForbidden() {
        return ShortRun.tests()
                .filter(test -> test.contains("Stress."))
                .map(test -> dynamicTest(
                        test, () -> assertThat(shortRun.failuresOf(test)).isEmpty()));
    }

    @TestFactory
    Stream<DynamicTest> stress_ofAPlantedBug_noticesIt() {
        return ShortRun.tests()
                .filter(test -> test.contains(".PlantedBugs."))
                .map(test -> dynamicTest(
                        test, () -> assertThat(shortRun.failuresOf(test)).isNotEmpty()));
    }
}
