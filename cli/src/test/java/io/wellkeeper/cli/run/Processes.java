package io.wellkeeper.cli.run;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Other processes, as tests look at them. */
public final class Processes {

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

    /** Its arguments, as every user of this machine sees them; empty if it is gone. */
    public static String commandLine(long pid) {
        try {
            return Files.readString(Path.of("/proc", Long.toString(pid), "cmdline"), StandardCharsets.ISO_8859_1);
        } catch (IOException gone) {
            return "";
        }
    }
}
