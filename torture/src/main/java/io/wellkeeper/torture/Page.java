package io.wellkeeper.torture;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.zip.GZIPOutputStream;

/**
 * A run as one self-contained HTML page: its result, and a timeline to move about in. The script in {@code page.html}
 * reads the data that {@link #pack} writes: numbers with seven bits in each byte, lowest bits first, and texts with
 * their length in front. Times are in microseconds since the run began.
 */
final class Page {

    private static final String TITLE = "@TITLE@";
    private static final String SUMMARY = "@SUMMARY@";
    private static final String DATA = "@DATA@";

    /** More violations would make the page slow, and nobody reads so many. */
    private static final int MOST_VIOLATIONS = 10_000;

    private final Run run;
    private final Timeline timeline;
    private final List<String> locks;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    private Page(Run run) {
        this.run = run;
        this.timeline = new Timeline(run);
        this.locks = run.locks().stream().map(lock -> lock.name).toList();
    }

    /**
     * Writes the page.
     *
     * @param file the file, which is replaced
     * @param title of the page
     * @param run the history of the run
     * @param verdict the checker's result
     */
    static void write(Path file, String title, Run run, Checker.Verdict verdict) {
        String[] template = template().split(DATA, 2);
        try (OutputStream page = Files.newOutputStream(file)) {
            String head = template[0].replace(TITLE, escape(title)).replace(SUMMARY, escape(Summary.of(run, verdict)));
            page.write(head.getBytes(StandardCharsets.UTF_8));
            page.write(Base64.getEncoder().encode(zip(new Page(run).pack(verdict.violations()))));
            page.write(template[1].getBytes(StandardCharsets.UTF_8));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static String template() {
        try (InputStream in = Objects.requireNonNull(Page.class.getResourceAsStream("page.html"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static byte[] zip(byte[] bytes) throws IOException {
        ByteArrayOutputStream zipped = new ByteArrayOutputStream();
        try (GZIPOutputStream zip = new GZIPOutputStream(zipped)) {
            zip.write(bytes);
        }
        return zipped.toByteArray();
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }

    private byte[] pack(List<Violation> violations) {
        number(micros(run.end()));
        number(timeline.workers());
        list(locks, this::text);
        list(run.phases(), phase -> {
            number(micros(phase.time()));
            text(phase.name());
        });
        List<Run.FaultSpan> faults = new ArrayList<>(run.faults());
        faults.sort(Comparator.comparingLong(fault -> fault.begin));
        list(faults, this::fault);
        List<Stall> stalls = new ArrayList<>();
        run.stalls(Run.NOBODY).forEach(span -> stalls.add(new Stall(0, span)));
        run.processes()
                .forEach(process ->
                        run.stalls(process).forEach(span -> stalls.add(new Stall(timeline.worker(process), span))));
        stalls.sort(Comparator.comparingLong(stall -> stall.span().from()));
        list(stalls, stall -> {
            number(stall.worker());
            number(micros(stall.span().from()));
            number(micros(stall.span().to()));
        });
        number(violations.size());
        list(violations.subList(0, Math.min(MOST_VIOLATIONS, violations.size())), violation -> {
            number(micros(violation.time()));
            number(locks.indexOf(violation.lock()) + 1);
            text(violation.rule());
            text(violation.detail());
        });
        list(timeline.rows(), this::row);
        return out.toByteArray();
    }

    private record Stall(int worker, Spans.Span span) {}

    private void fault(Run.FaultSpan fault) {
        number(timeline.worker(fault.process));
        number(fault.process);
        number(micros(fault.begin));
        number(micros(Math.min(fault.healed, run.end())));
        text(fault.kind);
    }

    private void row(Timeline.Row row) {
        number(row.lock());
        number(row.worker());
        number(row.sections().size());
        long before = 0;
        for (Section section : row.sections()) {
            long request = micros(section.request);
            long end = micros(timeline.end(section));
            long granted = Math.min(end, micros(section.isGranted() ? section.granted : timeline.end(section)));
            long proven = section.hasCore() ? Math.min(end, micros(section.heldUntil())) : granted;
            number(request - before);
            number(granted - request);
            number(proven - granted);
            number(end - proven);
            number(section.process);
            number(section.op);
            number(section.permits);
            number(Math.max(0, section.token + 1));
            number(outcome(section));
            number(section.lost == Section.NEVER ? 0 : Math.max(0, micros(section.lost) - granted) + 1);
            number(section.refused == Section.NEVER ? 0 : 1);
            before = request;
        }
    }

    /** The index of the section's outcome among the texts of the page. */
    private static int outcome(Section section) {
        if (!section.isGranted()) {
            return section.over == Section.NEVER ? 0 : section.gaveUp ? 1 : 2;
        }
        return section.released == Section.NEVER ? 3 : section.releasedInTime ? 4 : 5;
    }

    private long micros(long time) {
        return TimeUnit.NANOSECONDS.toMicros(Math.max(0, time - run.begin()));
    }

    private <T> void list(List<T> all, Consumer<T> write) {
        number(all.size());
        all.forEach(write);
    }

    private void number(long number) {
        if (number < 0) {
            throw new IllegalArgumentException("a number below zero: " + number);
        }
        long rest = number;
        while (rest > 127) {
            out.write((int) (rest & 127 | 128));
            rest >>>= 7;
        }
        out.write((int) rest);
    }

    private void text(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        number(bytes.length);
        out.writeBytes(bytes);
    }
}
