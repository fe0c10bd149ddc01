package io.wellkeeper.cli;

import io.wellkeeper.cli.demo.Act;
import io.wellkeeper.cli.demo.Demo;
import java.io.PrintWriter;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code demo}: what goes wrong without a lock, and what a lock and its token prevent. */
@Command(
        name = "demo",
        description = {
            "Show with real processes what goes wrong without a lock, and what a lock and its fencing token prevent.",
            "",
            "Four shops sell 100 items: without a lock, with it, with a holder that is killed, and with one that is paused "
                    + "and wakes up too late. Takes about half a minute and leaves nothing behind. Without --store it "
                    + "starts a ZooKeeper server of its own, with --store redis:embedded, postgres:embedded or mariadb:embedded "
                    + "a server of that kind, and with --store sqlite it uses a file; $WELLKEEPER_STORE "
                    + "is not used. Exits with 1 if anything "
                    + "did not go as it should."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  wellkeeper demo",
            "  wellkeeper demo --store redis:embedded",
            "  wellkeeper demo --store sqlite",
            "  wellkeeper demo --store zookeeper://zk1:2181,zk2:2181,zk3:2181/test",
            "  wellkeeper demo --json 2>/dev/null | jq .asExpected"
        })
final class DemoCommand implements Callable<Integer> {

    private static final int INTERRUPTED = 130;

    private final RootCommand root;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(names = "--json", description = "Print a JSON object with the outcome; progress goes to standard error.")
    private boolean json;

    DemoCommand(RootCommand root) {
        this.root = root;
    }

    @Override
    public Integer call() throws SQLException, InterruptedException {
        CommandLine command = Objects.requireNonNull(spec).commandLine();
        PrintWriter telling = json ? command.getErr() : command.getOut();
        Demo demo = new Demo(telling, (json ? Terminal.STDERR : Terminal.STDOUT).isPresent());
        Optional<List<Act.Result>> played =
                demo.play(root.storeOption(), uri -> root.connect(uri, Demo.SESSION_TIMEOUT));
        if (played.isEmpty()) {
            return INTERRUPTED;
        }
        List<Act.Result> results = played.get();
        boolean asExpected = results.stream().allMatch(Act.Result::asExpected);
        PrintWriter out = command.getOut();
        out.println(json ? toJson(results, asExpected) : System.lineSeparator() + toTable(results));
        out.flush();
        return asExpected ? 0 : ExitCode.EXPECTATION_FAILED;
    }

    private static String toTable(List<Act.Result> results) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("", "ACT", "EXPECTED", "OUTCOME", ""));
        for (Act.Result result : results) {
            rows.add(List.of(
                    Integer.toString(rows.size()),
                    result.title(),
                    result.expected(),
                    result.outcome(),
                    result.asExpected() ? "ok" : "NOT AS EXPECTED"));
        }
        return Columns.align(rows);
    }

    private static String toJson(List<Act.Result> results, boolean asExpected) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("asExpected", asExpected);
        json.put("acts", results.stream().map(DemoCommand::toMap).toList());
        return Json.write(json);
    }

    private static Map<String, Object> toMap(Act.Result result) {
        Map<String, Object> act = new LinkedHashMap<>();
        act.put("title", result.title());
        act.put("expected", result.expected());
        act.put("outcome", result.outcome());
        act.put("asExpected", result.asExpected());
        act.put("figures", result.figures());
        return act;
    }
}
