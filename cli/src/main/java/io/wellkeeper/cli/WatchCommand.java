package io.wellkeeper.cli;

import io.wellkeeper.LockClient;
import java.io.PrintWriter;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code watch}: shows the queue of a lock live. */
@Command(
        name = "watch",
        description = {
            "Keep showing who holds a lock and who waits for it, until interrupted; with --json, one line for each change.",
            "",
            "It looks twice a second: who comes and goes between two looks is not seen."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:nobody reads any more", "130:it was interrupted by Ctrl-C; 128+n for another signal n"},
        footerHeading = "%nExamples:%n",
        footer = {"  wellkeeper watch orders/42", "  wellkeeper watch orders/42 --json | jq -c '.holders[].client'"})
final class WatchCommand implements Callable<Integer> {

    private final RootCommand root;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(names = "--json", description = "Print a JSON object for each change, with the fencing tokens as text.")
    private boolean json;

    @Parameters(paramLabel = "NAME", converter = LockNameConverter.class, description = "The lock's name.")
    private String name = "";

    WatchCommand(RootCommand root) {
        this.root = root;
    }

    @Override
    public Integer call() {
        PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
        try (LockClient client = root.connect()) {
            new QueueView(client, name, json, out).live();
            return 0;
        } finally {
            out.flush();
        }
    }
}
