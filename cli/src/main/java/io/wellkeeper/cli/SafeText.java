package io.wellkeeper.cli;

/** Makes text of others harmless for a terminal: it cannot move the cursor, set a colour or forge a line. */
public final class SafeText {

    private SafeText() {}

    /**
     * Shows control and formatting characters (line ends, escapes, direction changes) as {@code \}{@code u{1b}}.
     *
     * @param text any text
     * @return one line of visible characters
     */
    public static String of(String text) {
        StringBuilder safe = new StringBuilder(text.length());
        text.codePoints().forEach(point -> {
            if (isHarmless(point)) {
                safe.appendCodePoint(point);
            } else {
                safe.append("\\u{").append(Integer.toHexString(point)).append('}');
            }
        });
        return safe.toString();
    }

    private static boolean isHarmless(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }
}
