package io.wellkeeper.torture;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.torture.Event.Kind;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("full")
class MillionSectionsTest {

    private static final int SECTIONS = 1_000_000;
    private static final int PROCESSES = 4;
    private static final List<Lock> LOCKS =
            List.of(Lock.mutex("a", true), Lock.mutex("b", false), Lock.semaphore("c", 3), Lock.readWrite("d"));

    @TempDir
    Path directory;

    /** A quadratic rule would take hours; how long it really takes is printed. */
    @Test
    void check_aMillionSections_takesSeconds() throws IOException {
        write();
        long start = System.nanoTime();
        Run run = Run.read(directory);
        long read = System.nanoTime();
        Checker.Verdict verdict = Checker.check(run);
        long checked = System.nanoTime();
        System.out.println(
                "a million sections: read in " + Duration.ofNanos(read - start).toMillis() + " ms, checked in "
                        + Duration.ofNanos(checked - read).toMillis() + " ms");
        assertThat(run.locks()).extracting(lock -> lock.sections.size()).containsOnly(SECTIONS / LOCKS.size());
        assertThat(verdict.violations()).extracting(Violation::rule).containsExactly("overlap");
        assertThat(Duration.ofNanos(checked - start)).isLessThan(Duration.ofMinutes(2));
    }

    /** Sections one after another in each lock, each with seven events, and one in the midst that ends too late. */
    private void write() throws IOException {
        Path file = directory.resolve("all.history");
        try (BufferedWriter out = Files.newBufferedWriter(file)) {
            for (Event event : new Scenario(LOCKS.toArray(Lock[]::new)).events()) {
                line(out, event);
            }
            for (int i = 0; i < SECTIONS; i++) {
                Lock lock = LOCKS.get(i % LOCKS.size());
                int process = 1 + i % PROCESSES;
                long time = 1_000_000L * (i / LOCKS.size());
                boolean late = i == SECTIONS / 2;
                line(out, new Event(time, Kind.REQUEST, process, i, lock.name(), lock.permits(), -1));
                line(out, new Event(time + 1, Kind.GRANTED, process, i, "-", i, 0));
                line(out, new Event(time + 2, Kind.HELD, process, i, "-", 1, 900));
                line(out, new Event(time + 3, Kind.ACCEPTED, process, i, lock.name(), i, 0));
                line(out, new Event(time + 4, Kind.HELD, process, i, "-", 1, 900));
                line(out, new Event(time + (late ? 1_000_005 : 5), Kind.RELEASE, process, i, "-", 0, 0));
                line(out, new Event(time + (late ? 1_000_006 : 6), Kind.RELEASED, process, i, "-", 1, 0));
            }
        }
    }

    private static void line(BufferedWriter out, Event event) throws IOException {
        out.write(event.line());
        out.write('\n');
    }
}
