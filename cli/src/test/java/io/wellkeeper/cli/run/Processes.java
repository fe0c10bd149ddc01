package io.wellkeeper.cli.run;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Other processes, as tests look at them. */
public final class Processes {

    private static final Path OUR_STATUS = Path.of("/proc/self/status");

    private Processes() {}

    /** Whether a process no longer runs; its parent may not yet have taken note. */
    public static boolean isDead(long pid) {
        Path stat = Path.of("/proc", Long.toString(pid), "stat");
        try {
            return !ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false)
                    || Files.readString(stat).contains(") Z ");
        } catch (IOException gone) {
            return !Files.exists(stat);
        }
    }

    /** Whether a process of one thread stands still. */
    public static boolean isStopped(long pid) throws IOException {
        return Files.readString(Path.of("/proc", Long.toString(pid), "stat")).contains(") T ");
    }

    /**
     * A command to which every signal does what it does by default. Whoever started the tests may have ignored some of them, as
     * shells do with INT for what they start in the background, and that is inherited.
     */
    public static List<String> withDefaultSignals(List<String> command) throws IOException {
        List<String> line = new ArrayList<>();
        if (Files.exists(OUR_STATUS) && !Files.readString(OUR_STATUS).contains("SigIgn:\t0000000000000000")) {
            line.addAll(List.of("env", "--default-signal"));
        }
        line.addAll(command);
        return line;
    }

    /** Its arguments, as every user of this machine sees them; empty if it is gone. */
    public static String commandLine(long pid) {
        try {
            return Files.readString(Path.of("/proc", Long.toString(pid), "cmdline"), StandardCharsets.ISO_8859_1);
        } catch (IOException gone) {
            return "";
        }
    }
}
