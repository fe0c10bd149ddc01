package io.wellkeeper.torture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wellkeeper.storekit.JavaProcess;
import io.wellkeeper.torture.Event.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoryTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    Path directory;

    /** A process that writes as fast as it can, and says now and then how far it has come. */
    public static final class Scribe {

        private Scribe() {}

        public static void main(String[] arguments) {
            History history = new History(Path.of(arguments[0]), "scribe");
            for (long op = 0; ; op++) {
                history.add(Kind.HELD, 1, op, "-", 1, 0);
                if (op % 1_000 == 0) {
                    System.out.println("wrote " + op);
                }
            }
        }
    }

    /** A process that says the time. */
    public static final class Clock {

        private Clock() {}

        public static void main(String[] arguments) {
            System.out.println("time " + System.nanoTime());
        }
    }

    private List<Event> read() {
        List<Event> events = new ArrayList<>();
        History.read(directory, events::add);
        return events;
    }

    @Test
    void parse_anyEvent_isWhatWasWritten() {
        Random random = new Random(7);
        for (Kind kind : Kind.values()) {
            Event event = new Event(random.nextLong(), kind, 3, random.nextLong(), "a/b", -1, random.nextLong());
            assertThat(Event.parse(event.line())).isEqualTo(event);
        }
    }

    @Test
    void parse_somethingElse_isRefused() {
        for (String line : List.of("", "1", "1 held", "1 held 2 3 - 4", "x held 2 3 - 4 5", "1 hold 2 3 - 4 5")) {
            assertThatThrownBy(() -> Event.parse(line)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void read_writerWasKilled_showsAllThatWasSaidBefore() {
        try (JavaProcess scribe = JavaProcess.of(Scribe.class.getName())
                .arguments(directory.toString())
                .start()) {
            scribe.awaitLine(line -> line.equals("wrote 20000"), PATIENCE);
            scribe.kill();
        }
        List<Event> events = read();
        assertThat(events).hasSizeGreaterThan(20_000);
        for (int op = 0; op < events.size(); op++) {
            assertThat(events.get(op).op()).isEqualTo(op);
        }
    }

    @Test
    void read_lastLineIsTorn_leavesItOut() throws IOException {
        try (History history = new History(directory, "one")) {
            history.add(Kind.GRANTED, 1, 1, "-", 71, 0);
            history.add(Kind.RELEASED, 1, 1, "-", 1, 0);
        }
        Path file = directory.resolve("one.history");
        String whole = Files.readString(file);
        for (int torn = whole.indexOf('\n') + 1; torn < whole.length(); torn++) {
            Files.writeString(file, whole.substring(0, torn), StandardOpenOption.TRUNCATE_EXISTING);
            assertThat(read()).singleElement().extracting(Event::kind).isEqualTo(Kind.GRANTED);
        }
    }

    @Test
    void read_lineInTheMidstIsTorn_saysWhere() throws IOException {
        Files.writeString(directory.resolve("one.history"), "17 held 1 1 -\n18 held 1 1 - 1 0\n");
        assertThatThrownBy(this::read)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("one.history")
                .hasMessageContaining("17 held 1 1 -");
    }

    @Test
    void read_noHistory_saysSo() {
        assertThatThrownBy(this::read)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no history");
    }

    @Test
    void add_threadIsInterrupted_writesAllTheSame() {
        try (History history = new History(directory, "one")) {
            Thread.currentThread().interrupt();
            history.add(Kind.INTERRUPTED, 1, 1, "-", 0, 0);
            assertThat(Thread.interrupted()).isTrue();
            history.add(Kind.GONE, 1, 0, "-", 0, 0);
        }
        assertThat(read()).hasSize(2);
    }

    @Test
    void nanoTime_anotherProcess_isTheSameClock() {
        long before = System.nanoTime();
        long there;
        try (JavaProcess clock = JavaProcess.of(Clock.class.getName()).start()) {
            String said = clock.awaitLine(line -> line.startsWith("time "), PATIENCE);
            there = Long.parseLong(said.substring("time ".length()));
        }
        assertThat(there).isBetween(before, System.nanoTime());
    }
}
