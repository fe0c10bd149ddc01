package io.wellkeeper.cli.demo;

import io.wellkeeper.cli.Terminal;
import java.io.PrintWriter;

/** Reports the progress: a line for each fact and, on a terminal, a line that changes in place. */
final class Progress {

    private final PrintWriter out;
    private final boolean inPlace;

    Progress(PrintWriter out, boolean inPlace) {
        this.out = out;
        this.inPlace = inPlace;
    }

    /** Prints a fact. */
    void say(String line) {
        clear();
        out.println(line);
        out.flush();
    }

    /** Shows the present state, which the next report replaces. */
    void show(String state) {
        if (inPlace) {
            clear();
            out.print(state);
            out.flush();
        }
    }

    /** Removes the line with the present state. */
    void clear() {
        if (inPlace) {
            out.print(Terminal.CLEAR_LINE);
            out.flush();
        }
    }
}
