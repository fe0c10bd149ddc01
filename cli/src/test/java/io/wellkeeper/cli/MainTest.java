package io.wellkeeper.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.cli.Cli.Ended;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MainTest {

    @TempDir
    private Path directory;

    @Test
    void execute_noCommand_64AndOneLine() {
        assertFailed(new Cli().run(), 64, "wellkeeper: no command given; see 'wellkeeper --help'");
    }

    @Test
    void execute_unknownOption_64AndOneLine() {
        assertFailed(new Cli().run("ls", "--bogus"), 64, "Unknown option: '--bogus'; see 'wellkeeper ls --help'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ls", "show x", "run x -- true"})
    void execute_noStore_64AndOneLine(String line) {
        assertFailed(new Cli().run(line.split(" ")), 64, "no store given; use --store URI or set WELLKEEPER_STORE");
    }

    @Test
    void execute_noStoreButAHome_usesAFileOfTheUser() {
        Ended ended = new Cli().with("HOME", directory.toString()).run("ls");

        assertThat(ended.exitCode()).as(ended.err()).isZero();
        assertThat(directory.resolve(".local/state/wellkeeper/locks.db")).isRegularFile();
    }

    @Test
    void execute_noStoreButAStateFolder_usesAFileInIt() {
        Ended ended = new Cli()
                .with("HOME", "/nonexistent")
                .with("XDG_STATE_HOME", directory.toString())
                .run("ls");

        assertThat(ended.exitCode()).as(ended.err()).isZero();
        assertThat(directory.resolve("wellkeeper/locks.db")).isRegularFile();
    }

    @ParameterizedTest
    @CsvSource({
        "mariadb, --prefix, a;b, prefix 'a;b' is not made of",
        "postgresql, --schema, a.b, schema 'a.b' is not made of",
        "sqlite, --schema, main, SQLite has no schemas"
    })
    void schema_namesThatCannotBe_64AndOneLine(String dialect, String option, String name, String problem) {
        assertFailed(new Cli().run("schema", dialect, option, name), 64, problem);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " "})
    void execute_emptyStore_64AndNeverTheFileOfTheUser(String nothing) throws IOException {
        Cli cli = new Cli().with("HOME", directory.toString()).with("WELLKEEPER_STORE", nothing);
        Path file = Files.writeString(directory.resolve("store"), nothing);

        assertFailed(cli.run("run", "x", "--", "true"), 64, "WELLKEEPER_STORE names no store: it is empty");
        assertFailed(cli.run("--store", nothing, "ls"), 64, "--store names no store: it is empty");
        assertFailed(cli.run("--store-file", file.toString(), "ls"), 64, file + " names no store: it is empty");
        assertThat(directory.resolve(".local")).doesNotExist();
    }

    @Test
    void execute_storeInAFile_isUsed() throws IOException {
        Path database = directory.resolve("locks.db");
        Path file = Files.writeString(directory.resolve("store"), "jdbc:sqlite:" + database + "\n");
        Cli cli = new Cli().with("WELLKEEPER_STORE", "nosuch://store");

        Ended ended = cli.run("ls", "--store-file", file.toString());

        assertThat(ended.exitCode()).as(ended.err()).isZero();
        assertThat(database).isRegularFile();
        assertFailed(cli.run("ls", "--store-file", directory + "/none"), 64, "none cannot be read");
        assertFailed(
                cli.run("ls", "--store", "nosuch://store", "--store-file", file.toString()), 64, "exclude each other");
    }

    @ParameterizedTest
    @ValueSource(strings = {"nosuch://localhost", "localhost", "zookeeper://localhost:2181?bogus=1", "zookeeper://"})
    void execute_wrongStore_64AndOneLine(String uri) {
        assertFailed(new Cli().run("--store", uri, "ls"), 64, "wellkeeper: wrong store URI: ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"redis", "zookeeper", "jdbc:postgresql", "jdbc:mariadb"})
    void execute_badPort_64AndOneLine(String scheme) {
        assertFailed(new Cli().run("--store", scheme + "://h:99999/x", "ls"), 64, "'99999' as a port");
    }

    @ParameterizedTest
    @ValueSource(strings = {"sessionTimout=4s", "prefx=a"})
    void execute_parameterIsMisspelt_64ThoughADriverWouldTakeIt(String parameter) {
        assertFailed(new Cli().run("--store", "jdbc:sqlite:" + directory + "/x?" + parameter, "ls"), 64, "' meant?");
    }

    @Test
    void execute_folderForTemporaryFilesIsMissing_69AndOneLine() throws Exception {
        String uri = "jdbc:sqlite:" + directory.resolve("locks.db");

        try (CliProcess ls = CliProcess.startIn(directory.resolve("missing"), "ls", "--store", uri)) {
            assertThat(ls.exitCode()).isEqualTo(69);
            assertThat(ls.errors()).hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ls", "show x", "run x -- true", "demo"})
    void execute_storeDown_69AndOneLineWithTheAddress(String line) throws IOException {
        String address = closedAddress();
        String uri = "zookeeper://" + address + "?storeTimeout=300ms&closeTimeout=0s";

        Ended ended = new Cli().run(("--store " + uri + " " + line).split(" "));

        assertFailed(ended, 69, address);
    }

    @Test
    void execute_storeDownVerbose_69WithStackTrace() throws Exception {
        String uri = "zookeeper://" + closedAddress() + "?storeTimeout=300ms&closeTimeout=0s";

        try (CliProcess ls = CliProcess.start("ls", "--verbose", "--store", uri)) {
            assertThat(ls.exitCode()).isEqualTo(69);
            assertThat(ls.errors()).anyMatch(line -> line.startsWith("\tat io.wellkeeper."));
        }
    }

    @Test
    void show_nameBreaksRule_64AndSaysWhich() {
        assertFailed(new Cli().run("show", ""), 64, "lock name is empty");
    }

    @Test
    void run_noSuchCommand_127BeforeTheStoreIsAsked() {
        assertFailed(new Cli().run("run", "x", "--", "no-such-command"), 127, "no-such-command: command not found");
    }

    @Test
    void run_commandNotExecutable_126BeforeTheStoreIsAsked() throws IOException {
        Path file = Files.createFile(directory.resolve("data"));

        assertFailed(new Cli().run("run", "x", "--", file.toString()), 126, file + ": cannot be executed");
    }

    @ParameterizedTest
    @ValueSource(strings = {"run x true", "run x", "run x --", "run -- x --"})
    void run_noDelimiterOrNoCommand_64AndSaysWhereItGoes(String line) {
        assertFailed(new Cli().run(line.split(" ")), 64, "no command given; put it behind --");
    }

    @Test
    void run_tryAndWait_64() {
        assertFailed(new Cli().run("run", "-n", "-w", "5", "x", "--", "true"), 64, "exclude each other");
    }

    @Test
    void run_wrongDuration_64AndSaysWhatIsRight() {
        assertFailed(new Cli().run("run", "-w", "soon", "x", "--", "true"), 64, "'soon' is no length of time");
    }

    @Test
    void run_argumentBeginsWithAt_isNotReadAsAFile() throws IOException {
        Path file = Files.writeString(directory.resolve("options"), "--bogus");

        assertFailed(new Cli().run("run", "x", "--", "no-such-command", "@" + file), 127, "command not found");
    }

    @Test
    void execute_escapesInArguments_areNeutralised() {
        Ended ended = new Cli().run("run", "x", "--", "\u001b[2Jevil\n");

        assertFailed(ended, 127, "\\u{1b}[2Jevil\\u{a}: command not found");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--help", "run --help", "ls -h", "show --help", "demo --help", "help", "help run"})
    void help_ofEveryCommand_showsExamples(String line) {
        Ended ended = new Cli().run(line.split(" "));

        assertThat(ended.exitCode()).isZero();
        assertThat(ended.out()).contains("Usage: wellkeeper", "Examples:");
        assertThat(ended.err()).isEmpty();
    }

    @Test
    void commandLine_subcommandIsNamed_isAloneAndOtherwiseThereAreAll() {
        assertThat(Main.commandLine(Map.of(), "ls", "--json").getSubcommands()).containsOnlyKeys("ls");
        assertThat(Main.commandLine(Map.of(), "--store", "ls", "show", "x").getSubcommands())
                .containsOnlyKeys("ls", "show");
        assertThat(Main.commandLine(Map.of(), "--help").getSubcommands())
                .containsKeys("demo", "run", "schema", "help")
                .containsOnlyKeys(Main.commandLine(Map.of(), "help", "ls")
                        .getSubcommands()
                        .keySet()
                        .toArray(String[]::new));
    }

    @Test
    void help_unknownCommand_64() {
        assertFailed(new Cli().run("help", "fly"), 64, "unknown command 'fly'");
    }

    @Test
    void version_always_namesTheTool() {
        Ended ended = new Cli().run("--version");

        assertThat(ended.exitCode()).isZero();
        assertThat(ended.out()).startsWith("wellkeeper ");
    }

    private static void assertFailed(Ended ended, int exitCode, String message) {
        assertThat(ended.err()).contains(message);
        assertThat(ended.err().lines()).hasSize(1);
        assertThat(ended.err()).startsWith("wellkeeper: ");
        assertThat(ended.out()).isEmpty();
        assertThat(ended.exitCode()).isEqualTo(exitCode);
    }

    private static String closedAddress() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return "127.0.0.1:" + socket.getLocalPort();
        }
    }
}
