package io.wellkeeper.torture;

import java.io.UncheckedIOException;
import java.nio.file.Path;

/** What came of a run, for people: a few lines of text, and a page with a timeline. */
public final class Report {

    private final Run run;
    private final Checker.Verdict verdict;

    private Report(Run run) {
        this.run = run;
        this.verdict = Checker.check(run);
    }

    /**
     * Reads a run, and holds it to the promises of the locks.
     *
     * @param directory where its history is
     * @return what came of it
     * @throws IllegalArgumentException if there is no history, or it cannot be read
     */
    public static Report of(Path directory) {
        return new Report(Run.read(directory));
    }

    /** Whether every promise was kept. */
    public boolean isClean() {
        return verdict.violations().isEmpty();
    }

    /** A few lines, each with its end. */
    public String text() {
        return Summary.of(run, verdict);
    }

    /**
     * Writes a page that needs nothing else and can be opened in any newer browser. One million events are about 2 MB.
     *
     * @param file what is in it is replaced
     * @param title of the page
     * @throws UncheckedIOException if it cannot be written
     */
    public void writePage(Path file, String title) {
        Page.write(file, title, run, verdict);
    }
}
