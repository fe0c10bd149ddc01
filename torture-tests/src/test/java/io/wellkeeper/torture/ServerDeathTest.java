package io.wellkeeper.torture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A server that dies though nothing has befallen it ends the run, and is named. */
@Tag("full")
@Timeout(120)
class ServerDeathTest {

    private static final Duration SESSION = Duration.ofSeconds(2);
    private static final Pattern PORT = Pattern.compile("127\\.0\\.0\\.1:(\\d+)");

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @CsvSource({
        "REDIS, Redis, SEGV, by SIGSEGV (exit code 139), REDIS BUG REPORT END",
        "POSTGRESQL, PostgreSQL, SEGV, by SIGSEGV (exit code 139), database system is ready",
        "MARIADB, MariaDB, SEGV, by SIGSEGV (exit code 139), ready for connections",
        "MARIADB_SIMPLE, MariaDB, KILL, by SIGKILL (exit code 137), ready for connections"
    })
    void run_serverDiesByItself_endsAndSaysWhichAndHow(
            Arrangement store, String server, String signal, String how, String log, @TempDir Path directory) {
        Plan plan = Plan.of(22, SESSION, List.of(FaultKind.PAUSE, FaultKind.CUT), 4);
        try (Servers servers = store.start(SESSION)) {
            Matcher port = PORT.matcher(servers.uri());
            assertThat(port.find()).isTrue();
            Servers dying = before(servers, () -> signal(signal, port.group(1)));
            ServerDied died = catchThrowableOfType(ServerDied.class, () -> Torture.run(plan, directory, dying));
            assertThat(died)
                    .hasMessageStartingWith(server + " at " + port.group() + " has died by itself, " + how)
                    .hasMessageContaining(log);
        }
        Report report = Report.of(directory);
        assertThat(report.isClean()).as(report.text()).isTrue();
        assertThat(report.text())
                .containsPattern("acquisitions +[1-9]")
                .containsPattern("faults +[12]")
                .contains("death of " + server + " at 127.0.0.1:")
                .contains(how + ", which torture had not brought about");
    }

    /** Servers to which something is done before the second fault, when all workers are inside. */
    private static Servers before(Servers servers, Runnable action) {
        int[] faults = {0};
        return (Servers) Proxy.newProxyInstance(
                Servers.class.getClassLoader(), new Class<?>[] {Servers.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("prepare") && ++faults[0] == 2) {
                        action.run();
                    }
                    try {
                        return method.invoke(servers, arguments);
                    } catch (InvocationTargetException failed) {
                        throw failed.getCause();
                    }
                });
    }

    /** Sends a signal to the server that was told to listen there. */
    private static void signal(String signal, String port) {
        ProcessHandle server = ProcessHandle.current()
                .descendants()
                .filter(process -> isServer(process, port))
                .findFirst()
                .orElseThrow();
        try {
            Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(server.pid())).start();
            assertThat(kill.waitFor()).isZero();
        } catch (IOException | InterruptedException failed) {
            throw new IllegalStateException(failed);
        }
    }

    /** It is what a shell keeps that was told this port, and no shell itself. */
    private static boolean isServer(ProcessHandle process, String port) {
        return !isShell(process)
                && process.parent().stream()
                        .filter(ServerDeathTest::isShell)
                        .flatMap(keeper -> keeper.info().commandLine().stream())
                        .anyMatch(line -> line.contains(port));
    }

    private static boolean isShell(ProcessHandle process) {
        return process.info().command().stream().anyMatch(program -> program.endsWith("sh"));
    }
}
