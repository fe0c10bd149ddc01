package io.wellkeeper.testservers;

import java.util.List;
import java.util.Map;

/**
 * A server has ended, and nobody here has brought that about.
 *
 * @param server which program, and where clients connected to it
 * @param time when, by {@link System#nanoTime()}
 * @param code its exit code; 128 and the number of the signal by which it ended
 * @param log the lines that it and those before it in its place have written
 */
public record ServerDeath(String server, long time, int code, List<String> log) {

    private static final int LAST_LINES = 20;
    private static final int SIGNALLED = 128;
    private static final Map<Integer, String> SIGNALS =
            Map.of(4, "SIGILL", 6, "SIGABRT", 7, "SIGBUS", 8, "SIGFPE", 9, "SIGKILL", 11, "SIGSEGV", 15, "SIGTERM");

    /** The last of what it wrote. */
    public List<String> lastLines() {
        return log.subList(Math.max(0, log.size() - LAST_LINES), log.size());
    }

    /** Which server has ended, and how, in a few words. */
    public String message() {
        return server + " has died by itself, " + how(code);
    }

    /**
     * By what a process has ended, in a few words.
     *
     * @param code its exit code
     */
    public static String how(int code) {
        String signal = SIGNALS.get(code - SIGNALLED);
        return signal == null ? "with the exit code " + code : "by " + signal + " (exit code " + code + ")";
    }
}
