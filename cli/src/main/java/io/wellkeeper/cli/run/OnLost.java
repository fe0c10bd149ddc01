package io.wellkeeper.cli.run;

/** What happens to the command when its lock is about to be lost. */
public enum OnLost {
    /** It is asked to end ({@code TERM}), and ended ({@code KILL}) when its time is over. */
    TERM,
    /** It is ended ({@code KILL}) at the last moment. */
    KILL,
    /** It runs on. */
    IGNORE
}
