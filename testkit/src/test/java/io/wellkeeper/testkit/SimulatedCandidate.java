package io.wellkeeper.testkit;

import io.wellkeeper.LeaderElection;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockClientClosedException;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A candidate of a {@link SimulatedElection}, and its user, who now and then calls it by two threads at once. Checks
 * that its listener is called in the promised order.
 */
final class SimulatedCandidate implements LeaderElection.Listener {

    private final SimulatedSchedule schedule;
    private final SimulatedProcess process;
    private final LeaderElection election;
    private Optional<Boolean> stands = Optional.of(false); // empty if unknown, as two calls ran at once
    private boolean told; // it was told that it leads, and not yet that it was deposed
    private int asked; // how often it was asked to step down
    private boolean listening;
    private int calls; // calls of the user that have not returned
    private boolean together; // one of these calls began during another
    private boolean closed;
    private boolean quiet;
    private long token;

    SimulatedCandidate(SimulatedSchedule schedule, SimulatedProcess process, LockClient locks, String name) {
        this.schedule = schedule;
        this.process = process;
        this.election = locks.election(name, this);
    }

    @Override
    public void elected(long fencingToken) {
        hear("elected", !told, () -> {
            told = true;
            if (fencingToken <= token) {
                schedule.fail("elected with token " + fencingToken + " after " + token);
            }
            token = fencingToken;
            if (leadership().orElse(token) < token) {
                schedule.fail("elected with token " + token + ", and has " + leadership());
            }
        });
    }

    @Override
    public void deposed(String reason) {
        hear("deposed", told, () -> told = false);
    }

    @Override
    public void revocationRequested(String who, String reason) {
        hear("asked", told, () -> asked++);
    }

    private void hear(String word, boolean expected, Runnable what) {
        schedule.note(word, process);
        if (!expected || listening) {
            schedule.fail("told that it is " + word + (listening ? " during another word" : ", which is not its turn"));
        }
        listening = true;
        what.run();
        act();
        listening = false;
        if (!quiet && schedule.random.nextInt(10) == 0) {
            throw new IllegalStateException("a listener that throws");
        }
    }

    /** The user does something, perhaps within a call of the listener. */
    void act() {
        int what = quiet ? 20 : schedule.random.nextInt(20);
        if (what < 5) {
            campaign();
        } else if (what < 8) {
            call("resign", false, election::resign);
        } else if (what == 8 && schedule.random.nextInt(4) == 0) {
            close();
        }
    }

    /** From now on the user does nothing at random. */
    void becomeQuiet() {
        quiet = true;
    }

    void campaign() {
        call("campaign", true, election::campaign);
    }

    void stepDown() {
        if (schedule.random.nextBoolean()) {
            call("resign", false, election::resign);
        } else {
            close();
        }
    }

    private void close() {
        closed = true;
        call("close", false, election::close);
    }

    private void call(String what, boolean stand, Runnable call) {
        schedule.note(what, process);
        together = calls++ > 0;
        stands = Optional.empty();
        try {
            call.run();
        } catch (IllegalStateException refused) {
            if (!closed && !(refused instanceof LockClientClosedException)) {
                schedule.fail(what + ": " + refused);
            }
        }
        if (--calls == 0) {
            stands = closed ? Optional.of(false) : together ? Optional.empty() : Optional.of(stand);
        }
    }

    /** The fencing token, if the candidate believes that it leads; a process that does not run believes nothing. */
    OptionalLong leadership() {
        if (!process.isRunning()) {
            return OptionalLong.empty();
        }
        OptionalLong now = process.ask(election::fencingToken);
        if (now.isPresent() != process.ask(election::isLeader)) {
            schedule.fail("it leads, and has no token, or the other way round: " + now);
        }
        return now;
    }

    boolean leads() {
        return leadership().isPresent();
    }

    /** Whether it is certain that the user wants the candidate to stand, or not to stand. */
    boolean isSure(boolean stand) {
        return stands.isPresent() && stands.get() == stand;
    }

    /** Whether it was told that it leads, and not yet that it was deposed. */
    boolean isTold() {
        return told;
    }

    /** How often it was asked to step down. */
    int asked() {
        return asked;
    }

    boolean isClosed() {
        return closed;
    }

    SimulatedProcess process() {
        return process;
    }
}
