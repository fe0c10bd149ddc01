package io.wellkeeper.cli.demo;

import io.wellkeeper.cli.Terminal;
import java.io.PrintWriter;

/** What happens, as it happens: a line for each fact and, on a terminal, one that changes in place. */
final class Progress {

    private final PrintWriter out;
    private final boolean inPlace;

    Progress(PrintWriter out, boolean inPlace) {
        this.out = out;
        this.inPlace = inPlace;
    }

    /** A fact. */
    void say(String line) {
        clear();
        out.println(line);
        out.flush();
    }

    /** The present state; replaced by whatever comes next. */
    void show(String state) {
        if (inPlace) {
            clear();
            out.print(state);
            out.flush();
        }
    }

    /** Removes the present state. */
    void clear() {
        if (inPlace) {
            out.print(Terminal.CLEAR_LINE);
            out.flush();
        }
    }
}
