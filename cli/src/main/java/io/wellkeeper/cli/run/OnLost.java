package io.wellkeeper.cli.run;

/** What happens to the command when its lock is about to be lost. */
public enum OnLost {
    /** The command is asked to end ({@code TERM}), and killed ({@code KILL}) when its grace time is over. */
    TERM,
    /** The command is killed ({@code KILL}) at the last moment. */
    KILL,
    /** The command runs on. */
    IGNORE
}
