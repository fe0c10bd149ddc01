package io.wellkeeper.cli;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** A standard stream, which may be a terminal. */
public enum Terminal {
    STDIN(0),
    STDOUT(1),
    STDERR(2);

    /** Moves the cursor to the top left corner and clears the screen. */
    static final String CLEAR_SCREEN = "\u001b[H\u001b[2J";

    /** Moves the cursor to the beginning of its line and clears the line. */
    public static final String CLEAR_LINE = "\r\u001b[2K";

    private static final Size USUAL = new Size(24, 80);
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

    private final String descriptor;

    Terminal(int descriptor) {
        this.descriptor = Integer.toString(descriptor);
    }

    /** The size of a terminal, in lines and columns of text. */
    record Size(int rows, int columns) {}

    /** The present size of the terminal of this process. */
    static Size size() {
        try {
            Process stty = new ProcessBuilder("stty", "size")
                    .redirectInput(new File("/dev/tty"))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try (BufferedReader answer = stty.inputReader()) {
                String[] size = String.valueOf(answer.readLine()).split(" ");
                int rows = Integer.parseInt(size[0]);
                int columns = Integer.parseInt(size[size.length - 1]);
                return rows > 0 && columns > 0 ? new Size(rows, columns) : USUAL; // 0 if the size is not known
            }
        } catch (IOException | NumberFormatException unknown) {
            return USUAL;
        }
    }

    /** Whether any of the three streams is a terminal. */
    public static boolean isAnyPresent() {
        return Arrays.stream(values()).anyMatch(Terminal::isPresent);
    }

    /** Whether this is a terminal, and not a file or a pipe. */
    public boolean isPresent() {
        if (!Files.isDirectory(DESCRIPTORS)) {
            return System.console() != null;
        }
        try {
            String target =
                    Files.readSymbolicLink(DESCRIPTORS.resolve(descriptor)).toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
        } catch (IOException closed) {
            return false;
        }
    }
}
