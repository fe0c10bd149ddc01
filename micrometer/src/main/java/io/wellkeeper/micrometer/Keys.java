package io.wellkeeper.micrometer;

/**
 * Finds the parts of a name that look like keys. It finds the same parts as this regular expression, but faster:
 *
 * <pre>{@code
 * (?<![\p{L}\p{Nd}])(UUID|\p{XDigit}*[0-9]\p{XDigit}*|\p{XDigit}{8,})(?![\p{L}\p{Nd}])|\p{Nd}+
 * }</pre>
 */
final class Keys {

    private static final int UUID_LENGTH = 36;
    private static final int LONG_WORD = 8; // a hexadecimal word of this length is a key even without a digit

    private Keys() {}

    /** The name with {@code *} for each of its keys. */
    static String leaveOut(String name) {
        StringBuilder shown = null;
        int copied = 0;
        int at = 0;
        while (at < name.length()) {
            int end = endOfKey(name, at);
            if (end == at) {
                at++;
            } else {
                shown = (shown == null ? new StringBuilder(name.length()) : shown)
                        .append(name, copied, at)
                        .append('*');
                copied = end;
                at = end;
            }
        }
        return shown == null ? name : shown.append(name, copied, name.length()).toString();
    }

    /** The end of the key that begins at {@code start}; {@code start} itself if no key begins there. */
    private static int endOfKey(String name, int start) {
        int first = name.codePointAt(start);
        boolean hexadecimal = isHexadecimal(first);
        if (!hexadecimal && first < 0x80) {
            return start;
        }
        if (hexadecimal && (start == 0 || !Character.isLetterOrDigit(name.charAt(start - 1)))) {
            if (isUuid(name, start) && isEndOfWord(name, start + UUID_LENGTH)) {
                return start + UUID_LENGTH;
            }
            int end = start;
            boolean digit = false;
            while (end < name.length() && isHexadecimal(name.charAt(end))) {
                digit |= name.charAt(end) <= '9';
                end++;
            }
            if ((digit || end - start >= LONG_WORD) && isEndOfWord(name, end)) {
                return end;
            }
        }
        int end = start;
        while (end < name.length() && Character.isDigit(name.codePointAt(end))) {
            end += Character.charCount(name.codePointAt(end));
        }
        return end;
    }

    private static boolean isUuid(String name, int start) {
        if (name.length() - start < UUID_LENGTH) {
            return false;
        }
        for (int i = 0; i < UUID_LENGTH; i++) {
            char one = name.charAt(start + i);
            boolean hyphen = i == 8 || i == 13 || i == 18 || i == 23;
            if (hyphen ? one != '-' : !isHexadecimal(one)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isEndOfWord(String name, int at) {
        return at == name.length() || !Character.isLetterOrDigit(name.codePointAt(at));
    }

    private static boolean isHexadecimal(int one) {
        return one >= '0' && one <= '9' || one >= 'a' && one <= 'f' || one >= 'A' && one <= 'F';
    }
}
