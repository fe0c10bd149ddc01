package io.wellkeeper.cli;

import io.wellkeeper.LockClient;
import java.io.PrintWriter;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code show}: shows the holders of a lock and its waiters, since when and why. */
@Command(
        name = "show",
        description = {
            "Show who holds a lock, who waits for it, since when and why.",
            "",
            "TOKEN is the fencing token of whoever holds by this number; hand-overs to other threads of the same client add to "
                    + "it, 63 at most. It is left out where the store does not show it. PERMITS, of a semaphore, is left out where "
                    + "everybody has or wants one."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  wellkeeper show orders/42",
            "  wellkeeper show orders/42 --watch",
            "  wellkeeper show orders/42 --json | jq '.waiters | length'"
        })
final class ShowCommand implements Runnable {

    private final RootCommand root;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(names = "--watch", description = "The same as 'wellkeeper watch'.")
    private boolean watch;

    @Option(
            names = "--json",
            description = "Print a JSON object, with the fencing tokens as text: many programs round such numbers.")
    private boolean json;

    @Parameters(paramLabel = "NAME", converter = LockNameConverter.class, description = "The lock's name.")
    private String name = "";

    ShowCommand(RootCommand root) {
        this.root = root;
    }

    @Override
    public void run() {
        PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
        try (LockClient client = root.connect()) {
            QueueView view = new QueueView(client, name, json, out);
            if (watch) {
                view.live();
            } else {
                view.once();
            }
        }
    }
}
