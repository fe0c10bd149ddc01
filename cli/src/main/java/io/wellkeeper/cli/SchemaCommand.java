package io.wellkeeper.cli;

import io.wellkeeper.jdbc.Fence;
import io.wellkeeper.jdbc.LeaseTableStore;
import io.wellkeeper.jdbc.RowLocks;
import io.wellkeeper.jdbc.SqlTicketStore;
import java.io.PrintWriter;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code schema}: prints the tables, for users who make them by hand. */
@Command(
        name = "schema",
        description = {
            "Print the statements that make Wellkeeper's tables in a database. Without them the tables are made on first "
                    + "use, for which the user needs the right to; those for fencing and row locks by createTable()."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  wellkeeper schema postgresql | psql shop",
            "  wellkeeper schema mariadb --schema shop --prefix locks_ > V7__locks.sql",
        })
final class SchemaCommand implements Callable<Integer> {

    /** Databases whose SQL is known. */
    enum Dialect {
        POSTGRESQL,
        MYSQL,
        MARIADB,
        SQLITE
    }

    @Spec
    private @Nullable CommandSpec spec;

    @Parameters(paramLabel = "DIALECT", description = "${COMPLETION-CANDIDATES}.")
    private @Nullable Dialect dialect;

    @Option(
            names = "--prefix",
            paramLabel = "TEXT",
            defaultValue = "wellkeeper_",
            description = "What the names of the tables begin with. Default: ${DEFAULT-VALUE}")
    private String prefix = "";

    @Option(
            names = "--schema",
            paramLabel = "NAME",
            description =
                    "Where the tables are made, which has to be there; a database in MySQL and MariaDB, and not for "
                            + "SQLite. Default: where the connection looks first.")
    private @Nullable String schema;

    @Override
    public Integer call() {
        PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
        String known = Objects.requireNonNull(dialect).name();
        String in = schema;
        try {
            print(
                    out,
                    "The fair lock and its family (SqlTicketStore)",
                    in == null ? SqlTicketStore.schema(known, prefix) : SqlTicketStore.schema(known, in, prefix));
            print(
                    out,
                    "Simple locks, jdbc-simple: (LeaseTableStore)",
                    in == null ? LeaseTableStore.schema(known, prefix) : LeaseTableStore.schema(known, in, prefix));
            Fence fence = in == null ? Fence.prefixed(prefix) : Fence.prefixed(in, prefix);
            print(out, "Fencing tokens (Fence)", fence.schema(known));
            if (dialect != Dialect.SQLITE) {
                print(
                        out,
                        "Row locks (RowLocks)",
                        in == null ? RowLocks.schema(known, prefix) : RowLocks.schema(known, in, prefix));
            }
        } catch (IllegalArgumentException wrong) {
            throw new Failure(ExitCode.USAGE, String.valueOf(wrong.getMessage()));
        }
        out.flush();
        return 0;
    }

    private static void print(PrintWriter out, String what, String statements) {
        out.println("-- " + what);
        out.println(statements.strip().replaceAll(";?$", ";"));
        out.println();
    }
}
