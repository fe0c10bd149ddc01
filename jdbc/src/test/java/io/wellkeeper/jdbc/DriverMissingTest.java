package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On a class path like that of the tests, but without PostgreSQL's driver, with which all is compiled. */
class DriverMissingTest {

    @TempDir
    Path folder;

    private static URL[] classPath() throws MalformedURLException {
        List<URL> kept = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (!Path.of(entry).getFileName().toString().matches("postgresql-[0-9].*[.]jar")) {
                kept.add(Path.of(entry).toUri().toURL());
            }
        }
        return kept.toArray(URL[]::new);
    }

    private static void connect(String client, String uri) throws Exception {
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        try (URLClassLoader loader = new URLClassLoader(classPath(), ClassLoader.getPlatformClassLoader())) {
            assertThatThrownBy(() -> loader.loadClass("org.postgresql.Driver"))
                    .isInstanceOf(ClassNotFoundException.class);
            Thread.currentThread().setContextClassLoader(loader);
            Class.forName("org.sqlite.JDBC", true, loader); // DriverManager looks for drivers by itself only once
            Class<?> type = loader.loadClass(client);
            try (AutoCloseable connected =
                    (AutoCloseable) type.getMethod("connect", String.class).invoke(null, uri)) {
                Lock lock = (Lock) type.getMethod("lock", String.class).invoke(connected, "name");
                lock.lock();
                lock.unlock();
            }
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    @Test
    void connect_driverIsNotThere_namesTheArtifact() {
        for (String[] each : new String[][] {
            {"io.wellkeeper.LockClient", "jdbc:"},
            {"io.wellkeeper.LeaseClient", "jdbc-simple:"},
            {"io.wellkeeper.LeaseClient", "jdbc-native:"}
        }) {
            assertThatThrownBy(() -> connect(each[0], each[1] + "postgresql://127.0.0.1:1/postgres"))
                    .satisfies(thrown -> {
                        Throwable failure = thrown instanceof InvocationTargetException ? thrown.getCause() : thrown;
                        assertThat(failure.getClass().getName()).isEqualTo("io.wellkeeper.LockStoreException");
                        assertThat(failure).hasMessageContaining("add org.postgresql:postgresql to the class path");
                    });
        }
    }

    @Test
    void connect_toAnotherDatabase_locks() throws Exception {
        connect("io.wellkeeper.LockClient", "jdbc:sqlite:" + folder.resolve("locks.db"));
        connect("io.wellkeeper.LeaseClient", "jdbc-simple:sqlite:" + folder.resolve("leases.db"));
    }
}
