package io.wellkeeper.cli;

import io.wellkeeper.LockClient;
import java.io.PrintWriter;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ls}: lists the locks in use. */
@Command(
        name = "ls",
        description = "List the names of locks in use.",
        footerHeading = "%nExamples:%n",
        footer = {"  wellkeeper ls", "  wellkeeper ls orders/", "  wellkeeper ls --json | jq -r '.[]'"})
final class LsCommand implements Runnable {

    private final RootCommand root;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(names = "--json", description = "Print a JSON array.")
    private boolean json;

    @Parameters(arity = "0..1", paramLabel = "PREFIX", description = "What the names begin with. Default: all names.")
    private String prefix = "";

    LsCommand(RootCommand root) {
        this.root = root;
    }

    @Override
    public void run() {
        PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
        try (LockClient client = root.connect()) {
            List<String> names = client.admin().names(prefix);
            if (json) {
                out.println(Json.write(names));
            } else {
                names.forEach(name -> out.println(SafeText.of(name)));
            }
        }
        out.flush();
    }
}
