package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class JavaProcessTest {

    private static final Duration LONG = Duration.ofSeconds(30);

    /** Says its arguments, and counts until it is stopped. */
    static final class Counter {
        public static void main(String[] arguments) throws InterruptedException {
            System.out.println("hello " + String.join(" ", arguments) + " " + System.getProperty("colour"));
            for (int i = 0; ; i++) {
                System.out.println("count " + i);
                Thread.sleep(1);
            }
        }
    }

    /** Starts a counter, says its process id, and waits. */
    static final class Parent {
        public static void main(String[] arguments) throws InterruptedException {
            System.out.println(
                    "child " + JavaProcess.of(Counter.class.getName()).start().pid());
            Thread.currentThread().join();
        }
    }

    private static JavaProcess counter() {
        return JavaProcess.of(Counter.class.getName())
                .property("colour", "green")
                .arguments("a", "b c")
                .start();
    }

    @Test
    void awaitLine_lineToCome_isFound() {
        try (JavaProcess process = counter()) {
            assertThat(process.awaitLine(line -> line.startsWith("hello"), LONG))
                    .isEqualTo("hello a b c green");
            assertThat(process.awaitLine("count 300"::equals, LONG)).isEqualTo("count 300");
        }
    }

    @Test
    void awaitLine_processHasEnded_failsWithItsOutput() {
        try (JavaProcess process = JavaProcess.of("no.such.Main").start()) {
            assertThatThrownBy(() -> process.awaitLine("x"::equals, LONG))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("ClassNotFoundException");
            assertThat(process.awaitExit(LONG)).isNotZero();
        }
    }

    @Test
    void pause_runningProcess_stopsUntilResumed() throws IOException {
        try (JavaProcess process = counter()) {
            process.awaitLine("count 10"::equals, LONG);
            process.pause();
            await().until(() -> state(process.pid()) == 'T');
            assertThat(process.isAlive()).isTrue();
            process.resume();
            int seen = process.output().size();
            await().until(() -> process.output().size() > seen);
        }
    }

    @Test
    void kill_pausedProcess_endsIt() {
        JavaProcess process = counter();
        process.awaitLine("count 1"::equals, LONG);
        process.pause();
        process.kill();

        assertThat(process.isAlive()).isFalse();
    }

    @Test
    void kill_processWithAChild_endsTheChildToo() {
        try (JavaProcess parent = JavaProcess.of(Parent.class.getName()).start()) {
            String line = parent.awaitLine(l -> l.startsWith("child "), LONG);
            ProcessHandle child =
                    ProcessHandle.of(Long.parseLong(line.substring(6))).orElseThrow();
            parent.kill();

            await().atMost(LONG).until(() -> !child.isAlive());
        }
    }

    private static char state(long pid) throws IOException {
        String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
        return stat.charAt(stat.lastIndexOf(')') + 2);
    }
}
