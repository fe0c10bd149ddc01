package io.wellkeeper.stress;

import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.openjdk.jcstress.Options;
import org.openjdk.jcstress.infra.Status;
import org.openjdk.jcstress.infra.TestInfo;
import org.openjdk.jcstress.infra.collectors.TestResult;
import org.openjdk.jcstress.infra.runners.ForkedTestConfig;
import org.openjdk.jcstress.infra.runners.Runner;
import org.openjdk.jcstress.infra.runners.TestConfig;
import org.openjdk.jcstress.infra.runners.TestList;
import org.openjdk.jcstress.os.AffinityMode;
import org.openjdk.jcstress.os.NodeType;
import org.openjdk.jcstress.os.SchedulingClass;
import org.openjdk.jcstress.vm.CompileMode;

/** Runs jcstress tests in this JVM, for a moment each. */
final class ShortRun {

    private static final Duration HANGS = Duration.ofMinutes(1);
    private static final String[] OPTIONS = {
        "-iters", "2", "-time", "100", "-strideSize", "4", "-strideCount", "64", "-spinStyle", "THREAD_YIELD"
    };

    private final Options options;

    ShortRun() throws Exception {
        options = new Options(OPTIONS);
        options.parse();
    }

    /** The names of all tests, sorted. */
    static Stream<String> tests() {
        return TestList.tests().stream().sorted();
    }

    /**
     * What was wrong: outcomes that are forbidden, and errors.
     *
     * @throws AssertionError if it does not end
     */
    List<String> failuresOf(String test) {
        return assertTimeoutPreemptively(HANGS, () -> run(TestList.getInfo(test)));
    }

    private List<String> run(TestInfo test) throws Exception {
        SchedulingClass anywhere = new SchedulingClass(AffinityMode.NONE, test.threads(), NodeType.PACKAGE);
        TestConfig config = new TestConfig(options, test, 1, List.of(), CompileMode.UNIFIED, anywhere);
        Runner<?> runner = (Runner<?>) Class.forName(test.generatedRunner())
                .getConstructor(ForkedTestConfig.class)
                .newInstance(new ForkedTestConfig(config));
        TestResult result = runner.run();
        result.setConfig(config);
        return result.status() != Status.NORMAL
                ? List.of(result.status() + ": " + result.getMessages())
                : List.copyOf(result.grading().failureMessages);
    }
}
