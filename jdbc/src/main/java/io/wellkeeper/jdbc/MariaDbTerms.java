package io.wellkeeper.jdbc;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Expressions that several files of statements have in common. A file refers to an expression by a name in braces. */
final class MariaDbTerms {

    private static final String NEXT = "IF(LOCATE(CONCAT(' ', :word, ' '), %1$s) > 0, SUBSTRING_INDEX(SUBSTRING_INDEX("
            + "SUBSTRING(%1$s, LOCATE(CONCAT(' ', :word, ' '), %1$s) + LENGTH(:word) + 2), ':', 2), ':', -1), '')";

    /**
     * Wakes the session {@code @told}. Does nothing where nobody listens: an error would undo the statements before it.
     */
    private static final String RINGING = "SET @ring = COALESCE("
            + "CONCAT('KILL QUERY ', IS_USED_LOCK(CONCAT('{channel}', COALESCE(@told, ''), '.bell'))), 'DO 0');\n"
            + "PREPARE wellkeeper_ring FROM @ring;\nEXECUTE wellkeeper_ring";

    private static final String NEXT_SESSION =
            "SET @told = NULLIF(NULLIF(" + NEXT.formatted("@before") + ", ''), :owner);\n";

    private static final String MESSAGE = "CONCAT('d', :ticket, @queue), UTC_TIMESTAMP(6)";

    private static final String TELLING = NEXT_SESSION + "INSERT INTO {inbox} (session, text, since) SELECT @told, "
            + MESSAGE + " FROM DUAL WHERE @told IS NOT NULL;\n" + RINGING + ";\n";

    /** The same for use within a block, which need not prepare the statement that wakes the session. */
    private static final String TELLING_WITHIN = NEXT_SESSION + "IF @told IS NOT NULL THEN\n"
            + "INSERT INTO {inbox} (session, text, since) VALUES (@told, " + MESSAGE + ");\n"
            + "SET @listener = IS_USED_LOCK(CONCAT('{channel}', @told, '.bell'));\n"
            + "IF @listener IS NOT NULL THEN\nKILL QUERY @listener;\nEND IF;\nEND IF;\n";

    private static final String REQUEST = "SUBSTRING_INDEX(SUBSTRING_INDEX(:ticket, ':', 3), ':', -1)";
    private static final String WISH = "CONCAT(' ', " + REQUEST + ", ';')";
    private static final Pattern TERM = Pattern.compile("\\{(next of ([a-z.]+)|[a-z]+)}");

    /** The milliseconds until the next session expires, and one; where there is no session at all, it is one. */
    private static final String LEFT = "(SELECT COALESCE(TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), MIN(expires))"
            + " DIV 1000, 0) + 1 FROM {session})";

    private static final Map<String, String> TERMS = Map.of(
            "micros",
            "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))",
            "left",
            LEFT,
            "living",
            "(SELECT :name FROM {session} FORCE INDEX (life) WHERE id = :me AND ended = 0 LOCK IN SHARE MODE)",
            "request",
            REQUEST,
            "ringing",
            RINGING,
            "stripped",
            "IF(LEFT(alone, 13) = :owner, IF(LENGTH(@alone := REPLACE(alone, " + WISH + ", '')) > 13, @alone, ''),"
                    + " alone)",
            "gone",
            "LOCATE(CONCAT(' ', :word, ' '), @before) > 0");

    private MariaDbTerms() {}

    /**
     * Fills the expressions into a text.
     *
     * @param tells whether the text tells the next session in the queue of a departure
     * @param within whether the text stands within a block
     */
    static String fill(String text, boolean tells, boolean within) {
        String telling = within ? TELLING_WITHIN : TELLING;
        String filled = text.replace("{telling}", tells ? telling : "").replace("{told}", tells ? "@told" : "NULL");
        return TERM.matcher(filled).replaceAll(found -> Matcher.quoteReplacement(term(found.group(), found.group(2))));
    }

    private static String term(String name, String column) {
        return column != null ? NEXT.formatted(column) : TERMS.getOrDefault(name.substring(1, name.length() - 1), name);
    }
}
