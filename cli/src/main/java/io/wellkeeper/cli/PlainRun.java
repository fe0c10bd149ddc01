package io.wellkeeper.cli;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Reads {@code run} in its most common form: {@code wellkeeper run [OPTION]... NAME... -- COMMAND [ARGUMENT]...}, each
 * option by its full name and at most once. The result is the same as that of the parser. All other forms are left to
 * the parser, and also all errors, which only the parser can report.
 */
final class PlainRun {

    private static final String DELIMITER = "--";
    private static final Set<String> WITH_NUMBER = Set.of("--permits", "--take");
    private static final Pattern NUMBER = Pattern.compile("[1-9]\\d{0,8}");

    /** Thrown if the parser is needed, before anything was done. */
    static final class NotPlainException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        NotPlainException(String message) {
            super(message, null, false, false);
        }
    }

    private final RootCommand root;
    private final RunCommand run;
    private final Set<String> given = new HashSet<>();

    private PlainRun(RootCommand root) {
        this.root = root;
        this.run = new RunCommand(root);
    }

    /**
     * Reads a command line.
     *
     * @param root the command that gets the common options
     * @return the subcommand, ready to be called; empty if the parser is needed
     */
    static Optional<RunCommand> read(RootCommand root, String... args) {
        PlainRun plain = new PlainRun(root);
        try {
            return plain.readAll(List.of(args)) ? Optional.of(plain.run) : Optional.empty();
        } catch (IllegalArgumentException wrongValue) {
            return Optional.empty();
        }
    }

    private boolean readAll(List<String> args) {
        int end = args.indexOf(DELIMITER);
        if (end < 0 || !args.get(0).equals("run")) {
            return false;
        }
        List<String> names = new ArrayList<>();
        for (int i = 1; i < end; i++) {
            String word = args.get(i);
            if (!word.startsWith("-")) {
                names.add(word);
                continue;
            }
            if (root.set(word) || run.set(word)) {
                if (!given.add(longName(word))) {
                    return false;
                }
                continue;
            }
            int equals = word.indexOf('=');
            String name = equals < 0 ? word : word.substring(0, equals);
            if (equals < 0 && ++i == end) {
                return false;
            }
            String value = equals < 0 ? args.get(i) : word.substring(equals + 1);
            if (!isPlain(name, value)
                    || !(root.set(name, value) || run.set(name, value))
                    || !given.add(longName(name))) {
                return false;
            }
        }
        List<String> command = args.subList(end + 1, args.size());
        if (names.isEmpty() || command.isEmpty() || command.get(0).equals(DELIMITER)) {
            return false;
        }
        run.setWords(names, command);
        return true;
    }

    private static boolean isPlain(String name, String value) {
        return !value.isEmpty()
                && !value.startsWith("-")
                && (!WITH_NUMBER.contains(name) || NUMBER.matcher(value).matches());
    }

    private static String longName(String name) {
        return switch (name) {
            case "-n" -> "--try";
            case "-w" -> "--wait";
            default -> name;
        };
    }
}
