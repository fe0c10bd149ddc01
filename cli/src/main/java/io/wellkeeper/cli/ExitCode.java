package io.wellkeeper.cli;

/** Our own exit codes. They follow {@code sysexits.h} and the shell if these have a code for the case. */
public final class ExitCode {

    /** A demonstration did not show what it should. */
    public static final int EXPECTATION_FAILED = 1;

    /** The command line, or the store's URI, is wrong. */
    public static final int USAGE = 64;

    /** The store cannot be reached, or refuses. */
    public static final int STORE_UNAVAILABLE = 69;

    /** A bug of this program. */
    public static final int INTERNAL = 70;

    /** A file or folder cannot be made. */
    public static final int CANNOT_CREATE = 73;

    /** Another holder has the lock, and the time to wait for it is over. */
    public static final int NOT_ACQUIRED = 75;

    /** The lock was lost while the command ran. */
    public static final int LOCK_LOST = 79;

    /** The command exists, but cannot be executed. */
    public static final int NOT_EXECUTABLE = 126;

    /** There is no such command. */
    public static final int NOT_FOUND = 127;

    private static final int SIGNALLED = 128;

    private ExitCode() {}

    /** The code of a process that a signal ended. */
    public static int ofSignal(int number) {
        return SIGNALLED + number;
    }
}
