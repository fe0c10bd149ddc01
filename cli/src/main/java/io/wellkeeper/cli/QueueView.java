package io.wellkeeper.cli;

import io.wellkeeper.LockClient;
import io.wellkeeper.LockStatus;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Shows a lock's queue on the terminal, once or live.
 *
 * @param json whether to print JSON instead of a table
 */
record QueueView(LockClient client, String name, boolean json, PrintWriter out) {

    private static final long REFRESH_MILLIS = 500;

    void once() {
        int width = Terminal.STDOUT.isPresent() ? Terminal.size().columns() : Integer.MAX_VALUE;
        print(text(client.admin().inspect(name), width));
    }

    /**
     * Shows the queue live: on a terminal in place, elsewhere again after each change. Ends when nobody reads the
     * output any more, or by an interrupt.
     */
    void live() {
        boolean inPlace = !json && Terminal.STDOUT.isPresent();
        String shown = "";
        do {
            LockStatus status = client.admin().inspect(name);
            String identity = identity(status);
            if (inPlace) {
                Terminal.Size size = Terminal.size();
                print(Terminal.CLEAR_SCREEN + top(text(status, size.columns()), size.rows()));
            } else if (!identity.equals(shown)) {
                print(text(status, Integer.MAX_VALUE));
            }
            shown = identity;
        } while (!out.checkError() && pause());
    }

    /** The parts of a status that do not change just because time passes. */
    private static String identity(LockStatus status) {
        StringBuilder numbers = new StringBuilder();
        status.holders()
                .forEach(holder -> numbers.append(holder.number())
                        .append('+')
                        .append(holder.permits())
                        .append(' '));
        status.waiters().forEach(waiter -> numbers.append(waiter.number()).append("- "));
        return numbers.append(status.lastBreak()).toString();
    }

    /** As many lines of a text as fit on the terminal with the cursor; the last line says how many more there are. */
    private static String top(String text, int rows) {
        List<String> lines = text.lines().toList();
        int room = Math.max(2, rows - 1);
        if (lines.size() <= room) {
            return text;
        }
        String more = "... and " + (lines.size() - room + 1) + " more";
        return String.join(System.lineSeparator(), lines.subList(0, room - 1)) + System.lineSeparator() + more;
    }

    private static boolean pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(REFRESH_MILLIS);
            return true;
        } catch (InterruptedException ended) {
            return false;
        }
    }

    private String text(LockStatus status, int width) {
        return json ? Json.write(Json.of(status)) : StatusTable.of(status, width);
    }

    private void print(String text) {
        out.println(text);
        out.flush();
    }
}
