package io.wellkeeper.cli;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Rows of text in aligned columns. */
public final class Columns {

    private static final String GAP = "  ";

    private static final String CUT = "…";

    private Columns() {}

    /**
     * Aligns columns to the left. A column that is empty in every row but the first, its heading, is left out.
     *
     * @param rows all of the same length
     * @return lines without a line end after the last
     */
    public static String align(List<List<String>> rows) {
        return String.join(System.lineSeparator(), lines(rows, Set.of()));
    }

    /**
     * As {@link #align}, but no line is wider than a terminal: columns are left out, and lines that are still too wide
     * are cut.
     *
     * @param width of the terminal, in its columns
     * @param dispensable the headings of columns that may be left out, the least important first
     */
    static String fit(List<List<String>> rows, int width, List<String> dispensable) {
        Set<String> leftOut = new HashSet<>();
        List<String> lines = lines(rows, leftOut);
        for (String heading : dispensable) {
            if (lines.stream().allMatch(line -> width(line) <= width)) {
                break;
            }
            leftOut.add(heading);
            lines = lines(rows, leftOut);
        }
        return lines.stream().map(line -> cut(line, width)).collect(Collectors.joining(System.lineSeparator()));
    }

    /** The text, cut if it is wider than the given width. */
    static String cut(String text, int width) {
        if (width(text) <= width) {
            return text;
        }
        int end = text.length();
        while (end > 0 && width(text.substring(0, end)) + width(CUT) > width) {
            end = text.offsetByCodePoints(end, -1);
        }
        return text.substring(0, end) + CUT;
    }

    private static List<String> lines(List<List<String>> rows, Set<String> leftOut) {
        List<String> lines = new ArrayList<>();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int column = 0; column < row.size(); column++) {
                if (isUsed(rows, column) && !leftOut.contains(rows.get(0).get(column))) {
                    line.append(row.get(column))
                            .append(" ".repeat(width(rows, column) - width(row.get(column))))
                            .append(GAP);
                }
            }
            lines.add(line.toString().stripTrailing());
        }
        return lines;
    }

    private static boolean isUsed(List<List<String>> rows, int column) {
        return rows.stream().skip(1).anyMatch(row -> !row.get(column).isEmpty());
    }

    private static int width(List<List<String>> rows, int column) {
        return rows.stream().mapToInt(row -> width(row.get(column))).max().orElse(0);
    }

    /** The width in columns of a terminal, where an East Asian character, or a picture, takes two columns. */
    private static int width(String cell) {
        return cell.codePoints().map(point -> isWide(point) ? 2 : 1).sum();
    }

    private static boolean isWide(int point) {
        return (point >= 0x1100 && point <= 0x115F)
                || (point >= 0x2E80 && point <= 0xA4CF && point != 0x303F)
                || (point >= 0xAC00 && point <= 0xD7A3)
                || (point >= 0xF900 && point <= 0xFAFF)
                || (point >= 0xFE30 && point <= 0xFE6F)
                || (point >= 0xFF00 && point <= 0xFF60)
                || (point >= 0xFFE0 && point <= 0xFFE6)
                || (point >= 0x1F300 && point <= 0x1FAFF)
                || (point >= 0x20000 && point <= 0x3FFFD);
    }
}
