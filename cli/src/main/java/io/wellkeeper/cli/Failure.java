package io.wellkeeper.cli;

/** Ends a subcommand with one line to the user and an exit code. */
public final class Failure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int exitCode;

    /**
     * @param exitCode of the process
     * @param message what the user reads
     */
    public Failure(int exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    int exitCode() {
        return exitCode;
    }
}
