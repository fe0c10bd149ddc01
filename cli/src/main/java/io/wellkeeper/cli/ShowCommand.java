package io.wellkeeper.cli;

import io.wellkeeper.LockClient;
import io.wellkeeper.LockStatus;
import java.io.PrintWriter;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code show}: who holds a lock, who waits for it, since when and why. */
@Command(
        name = "show",
        description = "Show who holds a lock, who waits for it, since when and why.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  wellkeeper show orders/42",
            "  wellkeeper show orders/42 --watch",
            "  wellkeeper show orders/42 --json | jq '.waiters | length'"
        })
final class ShowCommand implements Runnable {

    private static final long REFRESH_MILLIS = 500;

    private final RootCommand root;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(names = "--watch", description = "Keep showing it until interrupted; with --json, one line per change.")
    private boolean watch;

    @Option(names = "--json", description = "Print a JSON object.")
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
            if (watch) {
                watch(client, out);
            } else {
                print(client.inspect(name), out);
            }
        }
    }

    private void watch(LockClient client, PrintWriter out) {
        boolean inPlace = !json && Terminal.STDOUT.isPresent();
        String shown = "";
        do {
            LockStatus status = client.inspect(name);
            String identity = identity(status);
            if (inPlace) {
                out.print(Terminal.CLEAR_SCREEN);
            }
            if (inPlace || !identity.equals(shown)) {
                print(status, out);
            }
            shown = identity;
        } while (!out.checkError() && pause());
    }

    /** What a status says, without the times that pass by themselves. */
    private static String identity(LockStatus status) {
        StringBuilder numbers = new StringBuilder();
        status.holders().forEach(holder -> numbers.append(holder.number()).append('+'));
        status.waiters().forEach(waiter -> numbers.append(waiter.number()).append('-'));
        return numbers.append('.').toString();
    }

    private static boolean pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(REFRESH_MILLIS);
            return true;
        } catch (InterruptedException ended) {
            return false;
        }
    }

    private void print(LockStatus status, PrintWriter out) {
        out.println(json ? Json.write(Json.of(status)) : StatusTable.of(status));
        out.flush();
    }
}
