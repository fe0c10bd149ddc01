package io.wellkeeper.testkit;

import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Ticket;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The history of a schedule as one hash; and in words, if they are asked for. */
final class SimulationHistory {

    private final SimulatedTime time;
    private final long start;
    private final boolean inWords;
    private final List<String> words = new ArrayList<>();
    private long hash;
    private String shown = "";

    SimulationHistory(SimulatedTime time, boolean inWords) {
        this.time = time;
        this.start = time.nanoTime();
        this.inWords = inWords;
    }

    private long now() {
        return time.nanoTime() - start;
    }

    /** Adds to the hash that a task was run at this moment. */
    void tick() {
        hash = hash * 31 + now();
    }

    void note(String what, long who, long detail) {
        hash = ((hash * 31 + now()) * 31 + what.hashCode()) * 31 + who * 7919 + detail;
        if (inWords) {
            words.add(String.format("%12.6f  %s %d %d", now() / 1e9, what, who, detail));
        }
    }

    void note(String what, long who, SimulatedPrimitive.Want want) {
        note(what, who, want.names().get(0).charAt(0) * 100 + want.mode().ordinal() * 10 + want.permits());
        if (inWords) {
            words.set(words.size() - 1, words.get(words.size() - 1) + " " + want);
        }
    }

    /** Adds the state of the server to the words, if it has changed. */
    void show(InMemoryServer server, List<String> names) {
        if (inWords) {
            StringBuilder state = new StringBuilder();
            for (String name : names) {
                state.append("  ").append(name).append(':');
                for (Slip slip : server.tickets().slips(name)) {
                    state.append(' ').append(describe(slip));
                }
                String notice = server.tickets().notice(name).text();
                state.append(notice.isEmpty() ? "" : " notice " + notice);
            }
            if (!state.toString().equals(shown)) {
                shown = state.toString();
                words.add(String.format("%12.6f  %s", now() / 1e9, shown));
            }
        }
    }

    private static String describe(Slip slip) {
        Ticket ticket = slip.ticket();
        String session = ticket.session().substring(ticket.session().lastIndexOf('-') + 1);
        String kind =
                ticket.mode() == Mode.EXCLUSIVE ? "" : ticket.mode().toString().toLowerCase(Locale.ROOT);
        String client = slip.request().metadata().replaceAll(".*client=(\\w+).*", "$1");
        return ticket.id() + "/" + client + session + kind + (ticket.permits() > 1 ? "*" + ticket.permits() : "");
    }

    long hash() {
        return hash;
    }

    List<String> words() {
        return words;
    }
}
