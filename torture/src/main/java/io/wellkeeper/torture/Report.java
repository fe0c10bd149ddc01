package io.wellkeeper.torture;

import io.wellkeeper.testservers.ServerDeath;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Optional;

/** What came of a run, for people: a few lines of text, and a page with a timeline. */
public final class Report {

    private final Run run;
    private final Checker.Verdict verdict;
    private final Optional<ServerDeath> death;

    private Report(Run run, Optional<ServerDeath> death) {
        this.run = run;
        this.verdict = Checker.check(run);
        this.death = death;
    }

    /**
     * Reads a run, and holds it to the promises of the locks.
     *
     * @param directory where its history is
     * @return what came of it
     * @throws IllegalArgumentException if there is no history, or it cannot be read
     */
    public static Report of(Path directory) {
        return of(directory, Optional.empty());
    }

    static Report of(Path directory, Optional<ServerDeath> death) {
        return new Report(Run.read(directory), death);
    }

    /** Whether every promise was kept. */
    public boolean isClean() {
        return verdict.violations().isEmpty();
    }

    /**
     * The death of a server that was started for the run, which has ended by that: what happened until then was still held to the
     * promises. Empty if there was none, and in the report of an older run.
     */
    public Optional<ServerDeath> serverDeath() {
        return death;
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
