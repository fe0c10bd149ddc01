package io.wellkeeper.testservers;

import java.util.List;
import java.util.Map;

/**
 * A server has ended, and nobody here has brought that about.
 *
 * @param server which program, and where clients connected to it
 * @param time when, by {@link System#nanoTime()}
 * @param code its exit code; 128 and the number of the signal by which it ended
 * @param log the last lines that it wrote
 */
public record ServerDeath(String server, long time, int code, List<String> log) {

    private static final int SIGNALLED = 128;
    private static final Map<Integer, String> SIGNALS =
            Map.of(4, "SIGILL", 6, "SIGABRT", 7, "SIGBUS", 8, "SIGFPE", 9, "SIGKILL", 11, "SIGSEGV", 15, "SIGTERM");

    /** Which server has ended, and by what, in a few words. */
    public String message() {
        String signal = SIGNALS.get(code - SIGNALLED);
        return server + " has died by itself, "
                + (signal == null ? "with the exit code " + code : "by " + signal + " (exit code " + code + ")");
    }
}
