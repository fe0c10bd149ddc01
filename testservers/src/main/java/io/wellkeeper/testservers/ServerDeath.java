package io.wellkeeper.testservers;

import java.util.List;
import java.util.Map;

/**
 * The end of a server that was not brought about by this program.
 *
 * @param server the program, and where clients connected to it
 * @param time when it ended, by {@link System#nanoTime()}
 * @param code its exit code; 128 plus the number of the signal if it ended by a signal
 * @param log the lines that it has written, and before it the earlier servers in its place
 */
public record ServerDeath(String server, long time, int code, List<String> log) {

    private static final int LAST_LINES = 20;
    private static final int SIGNALLED = 128;
    private static final Map<Integer, String> SIGNALS =
            Map.of(4, "SIGILL", 6, "SIGABRT", 7, "SIGBUS", 8, "SIGFPE", 9, "SIGKILL", 11, "SIGSEGV", 15, "SIGTERM");

    /** The last lines that the server has written. */
    public List<String> lastLines() {
        return log.subList(Math.max(0, log.size() - LAST_LINES), log.size());
    }

    /** Says in a few words which server has ended, and how. */
    public String message() {
        return server + " has died by itself, " + how(code);
    }

    /**
     * Says in a few words how a process has ended.
     *
     * @param code its exit code
     */
    public static String how(int code) {
        String signal = SIGNALS.get(code - SIGNALLED);
        return signal == null ? "with the exit code " + code : "by " + signal + " (exit code " + code + ")";
    }
}
