package io.wellkeeper.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.HashMap;
import java.util.Map;
import picocli.CommandLine;

/** Runs the tool inside the test's JVM. */
final class Cli {

    private final Map<String, String> environment = new HashMap<>();

    Cli() {
        environment.put("PATH", "/usr/bin:/bin");
    }

    Cli with(String variable, String value) {
        environment.put(variable, value);
        return this;
    }

    Ended run(String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine command =
                Main.commandLine(environment, args).setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        int exitCode = command.execute(args);
        return new Ended(exitCode, out.toString(), err.toString());
    }

    record Ended(int exitCode, String out, String err) {}
}
