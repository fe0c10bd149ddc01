package io.wellkeeper.cli.run;

import io.wellkeeper.cli.Terminal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Handles the signals that this process gets. While the process waits for the lock, a signal ends the wait; once the
 * command runs, signals are passed on to the command.
 */
public final class SignalRelay {

    private static final List<String> FORWARDED = List.of("INT", "TERM", "HUP", "USR1", "USR2");
    private static final String STOP = "TSTP";

    private final Thread waiting;
    private final List<OsSignal> early = new ArrayList<>(); // signals before there is a command; guarded by this
    private @Nullable Consumer<OsSignal> target; // guarded by this

    SignalRelay(Thread waiting) {
        this.waiting = waiting;
    }

    /** A relay that interrupts the calling thread at the first signal. */
    public static SignalRelay install() {
        SignalRelay relay = new SignalRelay(Thread.currentThread());
        FORWARDED.forEach(name -> OsSignal.handle(name, relay::deliver));
        if (!Terminal.isAnyPresent()) {
            // This signal would stop the heartbeat and not the command. A terminal stops both, and the shell continues
            // both.
            OsSignal.handle(STOP, ignored -> {});
        }
        return relay;
    }

    synchronized void deliver(OsSignal signal) {
        if (target != null) {
            target.accept(signal);
        } else {
            early.add(signal);
            waiting.interrupt();
        }
    }

    /** The number of the signal that ended the wait. */
    public synchronized Optional<Integer> received() {
        return early.stream().findFirst().map(OsSignal::number);
    }

    /** Ends the wait also for a signal that came when the wait was just over. */
    synchronized void checkNone() throws InterruptedException {
        if (!early.isEmpty()) {
            Thread.interrupted();
            throw new InterruptedException();
        }
    }

    /**
     * From now on signals go to the command.
     *
     * @param whileStarted gets the signals that came while the command was being started
     * @param command gets the signals that come from now on
     */
    synchronized void forwardTo(Consumer<OsSignal> whileStarted, Consumer<OsSignal> command) {
        target = command;
        if (!early.isEmpty()) {
            early.forEach(whileStarted);
            Thread.interrupted();
        }
    }
}
