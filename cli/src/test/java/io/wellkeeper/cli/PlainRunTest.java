package io.wellkeeper.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** What is read without the parser means what the parser takes it for. */
class PlainRunTest {

    private static final int TRIES = 5_000;
    private static final List<String> WORDS = List.of(
            "run",
            "x",
            "a/b",
            "--",
            "-n",
            "--try",
            "-w",
            "--wait",
            "5",
            "0.5s",
            "--wait=2s",
            "-w3",
            "--read",
            "--permits",
            "--permits=4",
            "04",
            "0x4",
            "--take",
            "2",
            "--yield",
            "--yield=true",
            "--reason",
            "--reason=",
            "--reason=why not",
            "--on-lost",
            "term",
            "KILL",
            "--on-lost=ignore",
            "--grace",
            "--grace=",
            "--pass-store",
            "--store",
            "redis://h",
            "--store=jdbc:sqlite:a=b",
            "--store-file",
            "/f",
            "--verbose",
            "--help",
            "-V",
            "help",
            "sh",
            "-c",
            "-nw",
            "",
            "-");
    private static final Set<String> NO_OPTION_OR_WORD = Set.of("root", "spec", "words", "environment");

    @Test
    void read_anyWords_emptyOrWhatTheParserReads() throws Exception {
        Random random = new Random(7);
        int plain = 0;
        for (int i = 0; i < TRIES; i++) {
            List<String> line = new ArrayList<>(List.of("run"));
            line.add(random.nextInt(2), any(random)); // also in front of it
            int more = random.nextInt(7);
            for (int j = 0; j < more; j++) {
                line.add(any(random));
            }
            line.addAll(List.of("--", "true"));
            plain += isAsParsed(line) ? 1 : 0;
        }
        assertThat(plain).isGreaterThan(TRIES / 50);
    }

    @Test
    void read_usualLines_noParserIsNeeded() throws Exception {
        assertThat(isAsParsed(List.of("run", "x", "--", "true"))).isTrue();
        assertThat(isAsParsed(List.of("run", "--try", "backup", "--", "sh", "-c", "a -- b", "--", "--try")))
                .isTrue();
        assertThat(isAsParsed(List.of(
                        "run", "--store", "redis://h", "a", "b", "-w", "30s", "--reason", "all of it", "--", "c")))
                .isTrue();
    }

    private static String any(Random random) {
        return WORDS.get(random.nextInt(WORDS.size()));
    }

    /** Whether it was read; if so, it is as the parser reads it. */
    private static boolean isAsParsed(List<String> line) throws ReflectiveOperationException {
        String[] args = line.toArray(String[]::new);
        RootCommand root = new RootCommand(Map.of());
        Optional<RunCommand> plain = PlainRun.read(root, args);
        if (plain.isEmpty()) {
            return false;
        }
        CommandLine tool = Main.commandLine(Map.of(), args);
        RunCommand parsed;
        try {
            CommandLine.ParseResult result = tool.parseArgs(args);
            parsed = (RunCommand) result.subcommand().commandSpec().userObject();
            parsed.readWords();
        } catch (ParameterException refused) {
            throw new AssertionError("the parser refuses " + line, refused);
        }
        assertThat(values(plain.get())).as("%s", line).isEqualTo(values(parsed));
        assertThat(values(root)).as("%s", line).isEqualTo(values(tool.getCommand()));
        return true;
    }

    private static Map<String, Object> values(Object command) throws ReflectiveOperationException {
        Map<String, Object> values = new TreeMap<>();
        for (Field field : command.getClass().getDeclaredFields()) {
            if (!NO_OPTION_OR_WORD.contains(field.getName())) {
                field.setAccessible(true);
                values.put(field.getName(), String.valueOf(field.get(command)));
            }
        }
        return values;
    }
}
