package io.wellkeeper.jdbc;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What the tables are called.
 *
 * @param schema where the tables are; if empty, they are where the connection looks first
 * @param prefix what their names begin with
 */
record Tables(Optional<String> schema, String prefix) {

    static final String PREFIX = "wellkeeper_";

    private static final Pattern NAME = Pattern.compile("[a-z_][a-z0-9_]{0,29}"); // so that nothing needs quotes

    Tables {
        check("prefix", prefix);
        schema.ifPresent(name -> check("schema", name));
    }

    private static void check(String what, String name) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("table " + what + " '" + name
                    + "' is not made of at most 30 lower-case letters, digits and '_', with no digit in front");
        }
    }

    /** The name of a table, for use in a statement. */
    String table(String name) {
        return schema.map(there -> there + ".").orElse("") + prefix + name;
    }

    /** The beginning of the name of each session's channel. */
    String channel() {
        return prefix;
    }

    /** Fills the names of the tables, indexes and channels into a statement. */
    String fill(String text) {
        return text.replace("{session}", table("session"))
                .replace("{lock}", table("lock"))
                .replace("{ticket}", table("ticket"))
                .replace("{watch}", table("watch"))
                .replace("{inbox}", table("inbox"))
                .replace("{watch_session}", prefix + "watch_session")
                .replace("{session_expires}", prefix + "session_expires")
                .replace("{channel}", channel());
    }
}
