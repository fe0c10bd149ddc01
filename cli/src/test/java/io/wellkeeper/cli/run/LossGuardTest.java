package io.wellkeeper.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("full")
@Timeout(60)
class LossGuardTest {

    private static final Duration GRACE = Duration.ofMillis(500);

    private Executables executables = new Executables(Optional.ofNullable(System.getenv("PATH")));
    private final List<String> notices = new CopyOnWriteArrayList<>();

    private Duration allowed = Duration.ofMinutes(1);

    @TempDir
    private Path directory;

    @AfterEach
    void nothingRunsOn() throws IOException {
        if (Files.exists(pidFile())) {
            for (long pid : pids()) {
                ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
            }
        }
    }

    @Test
    void awaitExit_commandEndsInTime_keptAndNothingSaid() throws Exception {
        FakeHandle handle = new FakeHandle(Duration.ofMinutes(1));
        Child child = start("exit 7");

        boolean kept = guard(handle, child, OnLost.TERM).awaitExit();

        assertThat(kept).isTrue();
        assertThat(child.exitCode()).isEqualTo(7);
        assertThat(notices).isEmpty();
    }

    @Test
    void awaitExit_noSignOfLife_commandGetsTermAndEndsBeforeTheDeadline() throws Exception {
        FakeHandle handle = new FakeHandle(Duration.ofSeconds(3));
        Child child = startFamily("trap 'exit 7' TERM");

        boolean kept = guard(handle, child, OnLost.TERM).awaitExit();

        assertThat(handle.isHeld()).isTrue();
        assertThat(kept).isFalse();
        assertThat(child.exitCode()).isEqualTo(7);
        awaitFamilyDead();
    }

    @Test
    void awaitExit_commandIgnoresTerm_wholeFamilyIsKilledBeforeTheDeadline() throws Exception {
        FakeHandle handle = new FakeHandle(Duration.ofSeconds(3));
        Child child = startFamily("trap '' TERM");

        boolean kept = guard(handle, child, OnLost.TERM).awaitExit();

        assertThat(handle.isHeld()).isTrue();
        assertThat(kept).isFalse();
        assertThat(child.exitCode()).isEqualTo(137);
        awaitFamilyDead();
    }

    @Test
    void awaitExit_systemHasNoProcessGroups_wholeFamilyIsKilledOneByOne() throws Exception {
        FakeHandle handle = new FakeHandle(Duration.ofSeconds(3));
        executables = new Executables(Optional.of(directory.toString()));
        Child child = startFamily("trap '' TERM");

        boolean kept = guard(handle, child, OnLost.TERM).awaitExit();

        assertThat(handle.isHeld()).isTrue();
        assertThat(kept).isFalse();
        awaitFamilyDead();
    }

    @Test
    void awaitExit_commandEndsByTermAndItsChildDoesNot_childIsKilled() throws Exception {
        FakeHandle handle = new FakeHandle(Duration.ofSeconds(3));
        executables = new Executables(Optional.of(directory.toString())); // it is not found by a session either
        Child child = startFamily("trap '' TERM; sh -c 'while :; do sleep 0.05; done' & deaf=$!; trap 'exit 7' TERM;"
                + " echo $deaf > " + directory.resolve("deaf"));
        long deaf = Long.parseLong(Files.readString(directory.resolve("deaf")).trim());

        boolean kept = guard(handle, child, OnLost.TERM).awaitExit();

        assertThat(kept).isFalse();
        assertThat(child.exitCode()).isEqualTo(7);
        await().until(() -> Processes.isDead(deaf));
    }

    @Test
    void awaitExit_onlyKillWanted_noTermIsSent() throws Exception {
        FakeHandle handle = new FakeHandle(Duration.ofSeconds(2));
        Child child = startFamily("trap 'exit 7' TERM");

        boolean kept = guard(handle, child, OnLost.KILL).awaitExit();

        assertThat(handle.isHeld()).isTrue();
        assertThat(kept).isFalse();
        assertThat(child.exitCode()).isEqualTo(137);
        awaitFamilyDead();
    }

    @Test
    void awaitExit_lostAtOnce_wholeFamilyIsKilledWithoutGrace() throws Exception {
        FakeHandle handle = new FakeHandle(Duration.ofMinutes(1));
        Child child = startFamily("trap 'exit 7' TERM");
        LossGuard guard = guard(handle, child, OnLost.TERM);
        CompletableFuture<Boolean> kept = async(guard);

        handle.lose();

        assertThat(kept.get()).isFalse();
        assertThat(child.exitCode()).isEqualTo(137);
        awaitFamilyDead();
    }

    @Test
    void awaitExit_lossIgnored_commandRunsOnAndItIsSaid() throws Exception {
        FakeHandle handle = new FakeHandle(Duration.ofMinutes(1));
        Child child = startFamily("trap 'exit 7' TERM");
        LossGuard guard = guard(handle, child, OnLost.IGNORE);
        CompletableFuture<Boolean> kept = async(guard);

        handle.lose();
        await().untilAsserted(() -> assertThat(notices).containsExactly("lock lost: the command runs on without it"));
        assertThat(child.onExit()).isNotDone();
        child.signal("TERM");

        assertThat(kept.get()).isFalse();
        assertThat(child.exitCode()).isEqualTo(7);
    }

    @Test
    void start_nobodyPutsTheKillOff_wholeFamilyIsKilledWhenItsTimeIsUp() throws Exception {
        allowed = Duration.ofSeconds(2);
        long begun = System.nanoTime();
        Child child = startFamily("trap '' TERM");

        child.onExit().get();

        assertThat(System.nanoTime() - begun)
                .isGreaterThan(allowed.minusMillis(100).toNanos());
        assertThat(child.exitCode()).isEqualTo(137);
        awaitFamilyDead();
    }

    @Test
    void start_letGo_othersOfTheGroupRunOn() throws Exception {
        allowed = Duration.ofSeconds(1);
        Child child = start("sleep 1000 & echo $! $! > " + pidFile());
        child.onExit().get();

        child.letGo();

        await().during(allowed.plusMillis(500)).until(() -> !Processes.isDead(pids().get(0)));
    }

    @Test
    void signal_several_arriveInOrder() throws Exception {
        Path told = directory.resolve("told");
        Child child = startFamily("trap 'echo USR1 >> " + told + "' USR1; trap 'echo INT >> " + told + "; exit 3' INT");

        child.signal("USR1");
        await().until(() -> Files.exists(told));
        child.signal("USR1");
        await().until(() -> Files.readAllLines(told).size() == 2);
        child.signal("INT");

        child.onExit().get();
        assertThat(child.exitCode()).isEqualTo(3);
        assertThat(Files.readAllLines(told)).containsExactly("USR1", "USR1", "INT");
    }

    @Test
    void run_signalBeforeTheStart_commandIsNotStarted() {
        Path ran = directory.resolve("ran");
        GuardedCommand command = new GuardedCommand(
                List.of("touch", ran.toString()),
                Set.of(),
                OnLost.TERM,
                Optional.empty(),
                executables,
                false,
                notices::add);
        SignalRelay signals = new SignalRelay(Thread.currentThread());
        signals.deliver(new OsSignal("INT", 2));

        assertThatThrownBy(() -> command.run(new FakeHandle(Duration.ofMinutes(1)), signals))
                .isInstanceOf(InterruptedException.class);

        assertThat(Thread.interrupted()).isFalse();
        assertThat(ran).doesNotExist();
    }

    @Test
    void longestGrace_ofValidity_leavesRoomForALateHeartbeat() {
        assertThat(LossGuard.longestGrace(Duration.ofSeconds(9))).isEqualTo(Duration.ofSeconds(3));
    }

    private LossGuard guard(FakeHandle handle, Child child, OnLost policy) {
        return new LossGuard(handle, child, policy, GRACE, notices::add);
    }

    private static CompletableFuture<Boolean> async(LossGuard guard) {
        Supplier<Boolean> wait = () -> {
            try {
                return guard.awaitExit();
            } catch (InterruptedException interrupted) {
                throw new IllegalStateException(interrupted);
            }
        };
        return CompletableFuture.supplyAsync(wait);
    }

    private Child start(String script) throws IOException {
        List<String> command = Processes.withDefaultSignals(List.of("sh", "-c", script));
        return Child.start(command, Map.of(), executables, () -> allowed);
    }

    /** A shell that prepares itself, starts a sleeping child, and works until it is ended. */
    private Child startFamily(String prepare) throws IOException {
        Child child = start(prepare + "; sleep 1000 & echo $$ $! > " + pidFile() + ".new; mv " + pidFile() + ".new "
                + pidFile() + "; while :; do sleep 0.05; done");
        await().until(() -> Files.exists(pidFile()));
        return child;
    }

    private Path pidFile() {
        return directory.resolve("pids");
    }

    private List<Long> pids() throws IOException {
        return List.of(Files.readString(pidFile()).trim().split(" ")).stream()
                .map(Long::valueOf)
                .toList();
    }

    private void awaitFamilyDead() throws IOException {
        for (long pid : pids()) {
            await().until(() -> Processes.isDead(pid));
        }
    }
}
