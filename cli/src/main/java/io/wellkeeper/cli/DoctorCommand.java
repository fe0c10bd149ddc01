package io.wellkeeper.cli;

import io.wellkeeper.Deadlock;
import io.wellkeeper.LockClient;
import java.io.PrintWriter;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code doctor}: finds threads that wait for each other for ever, and says what is wrong with the store. */
@Command(
        name = "doctor",
        description = {
            "Look for deadlocks: threads, of any processes, that wait for each other in a circle. And warn of a store that "
                    + "is set up so that locks are worth less than they could be; that does not change the exit code."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:there is no deadlock", "1:there is one"},
        footerHeading = "%nExamples:%n",
        footer = {
            "  wellkeeper doctor",
            "  wellkeeper doctor --json | jq '.deadlocks | length'",
            "  wellkeeper doctor --store redis://localhost:6379 | grep ^warning"
        })
final class DoctorCommand implements Callable<Integer> {

    private final RootCommand root;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(names = "--json", description = "Print a JSON object.")
    private boolean json;

    DoctorCommand(RootCommand root) {
        this.root = root;
    }

    @Override
    public Integer call() {
        PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
        try (LockClient client = root.connect()) {
            List<Deadlock> found = client.admin().deadlocks();
            List<String> warnings = client.admin().storeWarnings();
            if (json) {
                out.println(Json.write(Json.ofDoctor(found, warnings)));
            } else if (found.isEmpty()) {
                out.println("no deadlock");
            } else {
                found.forEach(deadlock -> print(deadlock, out));
            }
            if (!json) {
                warnings.forEach(warning -> out.println("warning: " + SafeText.of(warning)));
            }
            return found.isEmpty() ? 0 : ExitCode.EXPECTATION_FAILED;
        } finally {
            out.flush();
        }
    }

    private static void print(Deadlock deadlock, PrintWriter out) {
        out.println("deadlock of " + deadlock.circle().size() + " threads:");
        for (Deadlock.Waiting one : deadlock.circle()) {
            out.println("  " + StatusTable.who(one.who()) + " holds " + SafeText.of(one.holds()) + " and waits for "
                    + SafeText.of(one.wants()));
        }
    }
}
