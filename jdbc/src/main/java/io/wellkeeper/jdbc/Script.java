package io.wellkeeper.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * SQL whose parameters had names.
 *
 * @param sql with a question mark for each parameter
 * @param parameters their names, in order
 */
record Script(String sql, List<String> parameters) {

    /** Where a file of statements is split. */
    static final String END_OF_STATEMENT = ";\\R";

    private static final Pattern COMMENT = Pattern.compile("(?m)^--.*\\R?");
    private static final Pattern PARAMETER = Pattern.compile(":([a-z]+)");

    static Script parse(String named) {
        List<String> parameters = new ArrayList<>();
        Matcher matcher = PARAMETER.matcher(named);
        String sql = matcher.replaceAll(found -> {
            parameters.add(found.group(1));
            return "?";
        });
        return new Script(sql, List.copyOf(parameters));
    }

    /** A file of statements over tables of these names, without its comments. */
    static String read(String dialect, String file, Tables tables) {
        return tables.fill(read(dialect, file));
    }

    /** A file of statements without its comments. */
    static String read(String dialect, String file) {
        try (InputStream in = Script.class.getResourceAsStream(dialect + "/" + file)) {
            String text = new String(Objects.requireNonNull(in, file).readAllBytes(), StandardCharsets.UTF_8);
            return COMMENT.matcher(text).replaceAll("").strip();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
