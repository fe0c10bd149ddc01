package io.wellkeeper.cli;

import io.wellkeeper.LockClient;
import java.io.PrintWriter;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code revoke}: asks the holders of a lock to give it up. */
@Command(
        name = "revoke",
        description = {"Ask whoever holds a lock, or permits of a semaphore, to give it up. They decide."},
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:somebody was asked", "1:nobody holds it"},
        footerHeading = "%nExamples:%n",
        footer = {"  wellkeeper revoke nightly-report --reason 'the database is to be restarted'"})
final class RevokeCommand implements Callable<Integer> {

    private final RootCommand root;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(names = "--reason", paramLabel = "TEXT", required = false, description = "Told to the holders.")
    private String reason = "";

    @Option(names = "--json", description = "Print a JSON object.")
    private boolean json;

    @Parameters(paramLabel = "NAME", converter = LockNameConverter.class, description = "The lock's name.")
    private String name = "";

    RevokeCommand(RootCommand root) {
        this.root = root;
    }

    @Override
    public Integer call() {
        PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
        try (LockClient client = root.connect()) {
            int asked = client.admin().requestRevocation(name, reason);
            out.println(
                    json
                            ? Json.write(Map.of("name", name, "asked", asked))
                            : SafeText.of(name) + ": "
                                    + (asked == 0
                                            ? "nobody holds it"
                                            : asked + (asked == 1 ? " holder" : " holders") + " asked"));
            return asked > 0 ? 0 : ExitCode.EXPECTATION_FAILED;
        } finally {
            out.flush();
        }
    }
}
