package io.wellkeeper.cli;

import io.wellkeeper.LockClient;
import io.wellkeeper.Participant;
import java.io.PrintWriter;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code break}: takes a lock away from its holders. */
@Command(
        name = "break",
        description = {
            "Take a lock away from whoever holds it, without asking. The next in the queue gets it.",
            "",
            "The former holder is told, but may be writing just now: only a storage that checks fencing tokens keeps it out."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:it was taken from somebody", "1:nobody holds it"},
        footerHeading = "%nExamples:%n",
        footer = {"  wellkeeper break nightly-report --reason 'host 7 is gone, INC-4711'"})
final class BreakCommand implements Callable<Integer> {

    private final RootCommand root;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(
            names = "--reason",
            paramLabel = "TEXT",
            required = true,
            description = "Why; told to the former holder, and kept beside the queue.")
    private String reason = "";

    @Option(names = "--json", description = "Print a JSON object.")
    private boolean json;

    @Parameters(paramLabel = "NAME", converter = LockNameConverter.class, description = "The lock's name.")
    private String name = "";

    BreakCommand(RootCommand root) {
        this.root = root;
    }

    @Override
    public Integer call() {
        PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
        try (LockClient client = root.connect()) {
            List<Participant> former = client.admin().breakLock(name, reason);
            if (json) {
                out.println(Json.write(Json.ofBreak(name, former)));
            } else if (former.isEmpty()) {
                out.println(SafeText.of(name) + ": nobody holds it");
            } else {
                former.forEach(who -> out.println(SafeText.of(name) + ": taken from " + StatusTable.who(who)));
            }
            return former.isEmpty() ? ExitCode.EXPECTATION_FAILED : 0;
        } finally {
            out.flush();
        }
    }
}
