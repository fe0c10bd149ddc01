package io.wellkeeper.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class KeptProcessTest {

    @TempDir
    private Path directory;

    private KeptProcess start(String script) {
        return KeptProcess.start(directory, Map.of(), List.of("/bin/sh", "-c", script));
    }

    private static ServerDeath awaitDeath(KeptProcess process) {
        await().until(() -> process.death("it").isPresent());
        return process.death("it").orElseThrow();
    }

    @ParameterizedTest
    @CsvSource({"KILL, 137, by SIGKILL", "SEGV, 139, by SIGSEGV"})
    void death_signalFromOutside_saysWhichAndWhatWasWrittenLast(String signal, int code, String how) {
        KeptProcess process = start("seq 100; printf '\\377\\n'; while :; do sleep 1; done");
        await().until(() -> process.output().lines().count() == 101);
        assertThat(process.death("it")).isEmpty();
        long before = System.nanoTime();
        KeptProcess.run(
                directory, ProcessBuilder.Redirect.PIPE, List.of("kill", "-" + signal, Long.toString(process.pid())));
        ServerDeath death = awaitDeath(process);
        assertThat(death.code()).isEqualTo(code);
        assertThat(death.message()).isEqualTo("it has died by itself, " + how + " (exit code " + code + ")");
        assertThat(death.log()).startsWith("1");
        assertThat(death.lastLines()).startsWith("82").endsWith("99", "100", "\uFFFD");
        assertThat(death.time()).isBetween(before, System.nanoTime());
        process.kill();
        assertThat(process.death("it")).isEmpty();
    }

    @Test
    void death_endedByItself_saysTheExitCode() {
        KeptProcess process = start("exit 3");
        assertThat(awaitDeath(process).message()).isEqualTo("it has died by itself, with the exit code 3");
        process.kill();
    }

    @Test
    void death_killedHere_isNone() {
        KeptProcess process = start("sleep 1000 & wait");
        await().until(() ->
                ProcessHandle.of(process.pid()).orElseThrow().children().count() == 1);
        List<ProcessHandle> all =
                ProcessHandle.of(process.pid()).orElseThrow().descendants().toList();
        process.kill();
        assertThat(process.isAlive()).isFalse();
        assertThat(all).noneMatch(ProcessHandle::isAlive);
        assertThat(process.death("it")).isEmpty();
    }

    @Test
    void death_cannotWriteAndEnds_isNone() {
        KeptProcess process = start("while echo x; do sleep 0.01; done");
        ProcessHandle keeper =
                ProcessHandle.of(process.pid()).flatMap(ProcessHandle::parent).orElseThrow();
        process.fillDisk(List.of());
        await().until(() -> !keeper.isAlive());
        assertThat(process.death("it")).isEmpty();
        process.kill();
    }
}
