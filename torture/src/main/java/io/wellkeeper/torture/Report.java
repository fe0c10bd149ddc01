package io.wellkeeper.torture;

import io.wellkeeper.testservers.ServerDeath;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Optional;

/** The result of a run, for people: a few lines of text, and a page with a timeline. */
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
     * Reads a run, and checks whether the locks have kept their promises.
     *
     * @param directory where its history is
     * @return the result
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
     * The death of a server that was started for the run, and by which the run has ended. What happened before it was
     * still checked. Empty if no server has died, and in the report of an older run.
     */
    public Optional<ServerDeath> serverDeath() {
        return death;
    }

    /** The result in a few lines, each with a line end. */
    public String text() {
        return Summary.of(run, verdict);
    }

    /**
     * Writes a self-contained page that any newer browser can open. One million events make about 2 MB.
     *
     * @param file the file, which is replaced
     * @param title of the page
     * @throws UncheckedIOException if it cannot be written
     */
    public void writePage(Path file, String title) {
        Page.write(file, title, run, verdict);
    }
}
