package io.wellkeeper.cli;

import io.wellkeeper.torture.Report;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code torture check}: runs the checker once more on a recorded run. */
@Command(
        name = "check",
        description = "Check the history of a run of torture again, without any store.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:every promise was kept", "1:one was broken", "64:there is no history, or it cannot be read"},
        footerHeading = "%nExamples:%n",
        footer = "  wellkeeper torture check torture-22")
final class TortureCheckCommand implements Callable<Integer> {

    @Spec
    private @Nullable CommandSpec spec;

    @Parameters(paramLabel = "HISTORY", description = "The directory that torture has made.")
    private @Nullable Path history;

    @Option(
            names = "--page",
            paramLabel = "FILE",
            description = "Where to write the page. Default: HISTORY/report.html")
    private @Nullable Path page;

    @Override
    public Integer call() {
        PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
        Path directory = Objects.requireNonNull(history);
        Report report;
        try {
            report = Report.of(directory);
        } catch (IllegalArgumentException wrong) {
            throw new Failure(ExitCode.USAGE, String.valueOf(wrong.getMessage()));
        }
        Path file = page == null ? directory.resolve("report.html") : page;
        try {
            return TortureCommand.tell(report, "torture in " + directory.getFileName(), file, out);
        } catch (UncheckedIOException failed) {
            throw new Failure(ExitCode.CANNOT_CREATE, "cannot write " + file + ": " + failed.getMessage());
        }
    }
}
