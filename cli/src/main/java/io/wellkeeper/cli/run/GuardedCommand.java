package io.wellkeeper.cli.run;

import io.wellkeeper.Held;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockLostException;
import io.wellkeeper.MultiLockHandle;
import io.wellkeeper.cli.ExitCode;
import io.wellkeeper.cli.Failure;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * A command that runs while a lock is held.
 *
 * @param command program and arguments
 * @param secrets environment variables that the command does not see
 * @param policy what to do when the lock is about to be lost
 * @param grace how long the command has to end by itself; empty for the time that the lock allows, up to the default
 * @param executables where to look for helpers
 * @param yields whether the command is told to end when the holder is asked to give the lock up
 * @param notice prints a line about what happens for the user
 */
public record GuardedCommand(
        List<String> command,
        Set<String> secrets,
        OnLost policy,
        Optional<Duration> grace,
        Executables executables,
        boolean yields,
        Consumer<String> notice) {

    private static final Duration DEFAULT_GRACE = Duration.ofSeconds(2);

    /**
     * Runs the command to its end.
     *
     * @param lock the held lock; it is not closed here
     * @param signals the signals to pass on to the command
     * @return the exit code: that of the command, unless the lock was lost
     * @throws InterruptedException if a signal came before the command was started; then the command is not started
     */
    public int run(Held lock, SignalRelay signals) throws InterruptedException {
        Child child;
        LossGuard guard;
        signals.checkNone();
        try {
            checkGrace(lock.remaining());
            child = Child.start(command, environment(lock), executables, LossGuard.lastMoment(lock, policy));
            signals.forwardTo(
                    // The terminal may have sent this signal before there was a command. Later the command itself gets
                    // the signals of the terminal.
                    early -> child.signal(early.name()),
                    signal -> {
                        if (!child.onExit().isDone()) {
                            child.pass(signal);
                        }
                    });
            guard = new LossGuard(lock, child, policy, grace.orElse(DEFAULT_GRACE), notice);
        } catch (IOException refused) {
            throw new Failure(ExitCode.NOT_EXECUTABLE, command.get(0) + ": " + refused.getMessage());
        } catch (LockLostException early) {
            throw new Failure(ExitCode.LOCK_LOST, "lock lost before the command was started");
        }
        lock.onRevocationRequested((who, reason) -> {
            notice.accept("'" + who + "' asks for the lock: " + reason);
            if (yields) {
                child.signal("TERM");
            }
        });
        if (guard.awaitExit() || policy == OnLost.IGNORE) {
            return child.exitCode();
        }
        notice.accept("lock lost while the command ran");
        return ExitCode.LOCK_LOST;
    }

    /** The changes of the command's environment; variables without a value are removed. */
    private Map<String, Optional<String>> environment(Held lock) {
        Map<String, Optional<String>> all = new HashMap<>();
        if (lock instanceof MultiLockHandle several) {
            Map<String, Long> tokens = several.fencingTokens();
            Map.Entry<String, Long> first = tokens.entrySet().iterator().next();
            all.put("WELLKEEPER_LOCK", Optional.of(first.getKey()));
            all.put("WELLKEEPER_FENCING_TOKEN", Optional.of(first.getValue().toString()));
            all.put("WELLKEEPER_LOCKS", Optional.of(String.join("\n", tokens.keySet())));
            all.put(
                    "WELLKEEPER_FENCING_TOKENS",
                    Optional.of(tokens.values().stream().map(String::valueOf).collect(Collectors.joining("\n"))));
        } else if (lock instanceof LockHandle one) {
            all.put("WELLKEEPER_LOCK", Optional.of(one.name()));
            all.put("WELLKEEPER_FENCING_TOKEN", token(one));
        }
        secrets.forEach(secret -> all.put(secret, Optional.empty()));
        return all;
    }

    private static Optional<String> token(LockHandle lock) {
        try {
            return Optional.of(Long.toString(lock.fencingToken()));
        } catch (UnsupportedOperationException noHonestToken) {
            return Optional.empty();
        }
    }

    private void checkGrace(Duration validity) {
        Duration longest = LossGuard.longestGrace(validity);
        if (policy == OnLost.TERM && grace.isPresent() && grace.get().compareTo(longest) > 0) {
            notice.accept("--grace is cut to " + longest.toMillis() + "ms, a third of the lock's validity of "
                    + validity.toMillis() + "ms; a longer sessionTimeout allows more");
        }
    }
}
