package io.wellkeeper.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The manual pages and the completion script say what the commands are; otherwise {@code cli/manual} makes them anew. */
class ManualTest {

    private static final Path FOLDER = Path.of("src", "main", "manual");
    private static final Path PAGES = FOLDER.resolve("man/man1");
    private static final Path COMPLETION = FOLDER.resolve("completion");

    @Test
    void pages_everyCommand_hasOneThatSaysAllOfItsHelp() throws Exception {
        List<CommandLine> commands = new ArrayList<>();
        collect(Main.commandLine(Map.of()), commands);
        for (CommandLine each : commands) {
            CommandSpec command = each.getCommandSpec();
            Path file = PAGES.resolve(command.qualifiedName("-") + ".1");
            assertThat(file).exists();
            String page = plain(Files.readString(file));
            List<String> expected = new ArrayList<>(each.getSubcommands().keySet());
            for (OptionSpec option : command.options()) {
                expected.addAll(List.of(option.names()));
                words(option.description()).forEach(line -> expected.addAll(List.of(line.split("\\$\\{[A-Z-]*}"))));
            }
            expected.addAll(words(command.usageMessage().description()));
            expected.addAll(words(command.usageMessage().footer()));
            expected.addAll(command.usageMessage().exitCodeList().values());
            assertThat(page).as("%s", file).contains(expected);
        }
        try (Stream<Path> pages = Files.list(PAGES)) {
            assertThat(pages).hasSameSizeAs(commands);
        }
    }

    @Test
    void help_examples_areShownAsTheyAreTyped() {
        List<CommandLine> commands = new ArrayList<>();
        collect(Main.commandLine(Map.of()), commands);
        for (CommandLine each : commands) {
            assertThat(each.getUsageMessage().lines().toList())
                    .contains(each.getCommandSpec().usageMessage().footer());
        }
    }

    @Test
    void pages_shownByMan_withoutWarnings() throws Exception {
        Assumptions.assumeTrue(Files.isExecutable(Path.of("/usr/bin/man")), "there is no man(1)");
        try (Stream<Path> pages = Files.list(PAGES)) {
            for (Path page : pages.toList()) {
                assertThat(output("man", "-l", page.toString())).contains("SYNOPSIS");
                assertThat(output("sh", "-c", "man --warnings -l \"$0\" 2>&1 >/dev/null", page.toString()))
                        .isEmpty();
            }
        }
    }

    @Test
    void completion_script_isPicoclisForTheseCommands() throws Exception {
        assertThat(Files.readString(COMPLETION)).isEqualTo(AutoComplete.bash("wellkeeper", Main.commandLine(Map.of())));
    }

    @Test
    void completion_inBash_completesCommandsOptionsAndValues() throws Exception {
        assertThat(completed("wellkeeper", "re")).isEqualTo("revoke");
        assertThat(completed("wellkeeper", "")).contains("run", "ls", "show", "torture", "help");
        assertThat(completed("wellkeeper", "run", "--pe")).isEqualTo("--permits");
        assertThat(completed("wellkeeper", "run", "--on-lost", "K")).isEqualTo("KILL");
        assertThat(completed("wellkeeper", "torture", "")).contains("check");
    }

    /** What bash would offer for the last of these words. */
    private static String completed(String... words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                "bash",
                "-c",
                ". \"$0\"; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _complete_wellkeeper 2>/dev/null; echo"
                        + " ${COMPREPLY[*]}",
                COMPLETION.toString()));
        command.addAll(List.of(words));
        return output(command.toArray(String[]::new)).strip();
    }

    private static String output(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }

    private static void collect(CommandLine command, List<CommandLine> into) {
        into.add(command);
        command.getSubcommands().values().forEach(each -> collect(each, into));
    }

    /** The text of a page without the marks of its format, on one line. */
    private static String plain(String page) {
        return page.replaceAll("(?m)^\\.(sp|RS|RE|nf|fi|fam|if).*$", "")
                .replace("\\-", "-")
                .replace("\\*(Aq", "'")
                .replace("\\(cq", "'")
                .replace("\\&", "")
                .replace("\\\\", "\\")
                .replaceAll("\\\\f[BIRP]", "")
                .replaceAll("\\s+", " ");
    }

    /** As picocli shows them, line by line, each on one line. */
    private static List<String> words(String... lines) {
        return Stream.of(lines)
                .map(line -> line.formatted().strip().replaceAll("\\s+", " "))
                .filter(line -> !line.isEmpty())
                .toList();
    }
}
