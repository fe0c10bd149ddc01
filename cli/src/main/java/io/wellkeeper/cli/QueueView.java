package io.wellkeeper.cli;

import io.wellkeeper.LockClient;
import io.wellkeeper.LockStatus;
import java.io.PrintWriter;
import java.util.concurrent.TimeUnit;

/**
 * A lock's queue on the terminal, once or for as long as somebody looks.
 *
 * @param json as an object, rather than a table
 */
record QueueView(LockClient client, String name, boolean json, PrintWriter out) {

    private static final long REFRESH_MILLIS = 500;

    void once() {
        print(client.inspect(name));
    }

    /** On a terminal in place, elsewhere whenever it has changed; until nobody reads any more, or it is interrupted. */
    void live() {
        boolean inPlace = !json && Terminal.STDOUT.isPresent();
        String shown = "";
        do {
            LockStatus status = client.inspect(name);
            String identity = identity(status);
            if (inPlace) {
                out.print(Terminal.CLEAR_SCREEN);
            }
            if (inPlace || !identity.equals(shown)) {
                print(status);
            }
            shown = identity;
        } while (!out.checkError() && pause());
    }

    /** What a status says, without the times that pass by themselves. */
    private static String identity(LockStatus status) {
        StringBuilder numbers = new StringBuilder();
        status.holders().forEach(holder -> numbers.append(holder.number()).append('+'));
        status.waiters().forEach(waiter -> numbers.append(waiter.number()).append('-'));
        return numbers.append('.').toString();
    }

    private static boolean pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(REFRESH_MILLIS);
            return true;
        } catch (InterruptedException ended) {
            return false;
        }
    }

    private void print(LockStatus status) {
        out.println(json ? Json.write(Json.of(status)) : StatusTable.of(status));
        out.flush();
    }
}
