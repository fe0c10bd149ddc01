package io.wellkeeper.cli;

import java.util.List;

/** Rows of text in aligned columns. */
public final class Columns {

    private static final String GAP = "  ";

    private Columns() {}

    /**
     * Aligns columns to the left. A column that is empty in every row but the first, its heading, is left out.
     *
     * @param rows all of the same length
     * @return lines without a line end after the last
     */
    public static String align(List<List<String>> rows) {
        StringBuilder text = new StringBuilder();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int column = 0; column < row.size(); column++) {
                if (isUsed(rows, column)) {
                    line.append(row.get(column))
                            .append(" ".repeat(width(rows, column) - width(row.get(column))))
                            .append(GAP);
                }
            }
            text.append(text.isEmpty() ? "" : System.lineSeparator())
                    .append(line.toString().stripTrailing());
        }
        return text.toString();
    }

    private static boolean isUsed(List<List<String>> rows, int column) {
        return rows.stream().skip(1).anyMatch(row -> !row.get(column).isEmpty());
    }

    private static int width(List<List<String>> rows, int column) {
        return rows.stream().mapToInt(row -> width(row.get(column))).max().orElse(0);
    }

    private static int width(String cell) {
        return cell.codePointCount(0, cell.length());
    }
}
