package io.wellkeeper.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** MySQL 8, from a directory with its unpacked distribution. */
final class MySqlProgram implements SqlProgram {

    private static final String FIRST = """
            CREATE USER IF NOT EXISTS root@'%';
            GRANT ALL ON *.* TO root@'%' WITH GRANT OPTION;
            CREATE DATABASE IF NOT EXISTS wellkeeper CHARACTER SET utf8mb4;
            """;

    private final Path home;

    MySqlProgram(Path home) {
        this.home = home.toAbsolutePath();
    }

    @Override
    public void initialise(Path directory) {
        try {
            Files.writeString(directory.resolve("first.sql"), FIRST);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        List<String> command = new ArrayList<>(program(directory));
        command.add("--initialize-insecure");
        KeptProcess.run(directory, ProcessBuilder.Redirect.PIPE, command);
    }

    private List<String> program(Path directory) {
        return List.of(
                home.resolve("bin/mysqld").toString(),
                "--no-defaults",
                "--basedir=" + home,
                "--datadir=" + directory.resolve("data"),
                "--user=" + System.getProperty("user.name")); // it refuses to run as root without this option
    }

    @Override
    public List<String> command(Path directory) {
        List<String> command = new ArrayList<>(program(directory));
        command.addAll(List.of("--init-file=" + directory.resolve("first.sql"), "--mysqlx=OFF", "--skip-log-bin"));
        return command;
    }

    @Override
    public String jdbcUrl(int port) {
        return "jdbc:mysql://127.0.0.1:" + port + "/wellkeeper?user=root&sslMode=DISABLED&allowPublicKeyRetrieval=true";
    }
}
