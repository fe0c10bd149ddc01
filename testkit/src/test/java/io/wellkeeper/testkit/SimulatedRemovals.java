package io.wellkeeper.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The tickets that were removed by somebody other than their users. The holder of such a ticket believes that it holds
 * the lock until it is told, which may take a heartbeat; so meanwhile there may be more holders than allowed.
 */
final class SimulatedRemovals {

    private final InMemoryServer server;
    private final Consumer<String> wrong;
    private final List<Slip> removed = new ArrayList<>();
    private final List<Slip> removedByOwner = new ArrayList<>(); // those clients must have known at once
    private final List<Break> breaking = new ArrayList<>(); // under way, or failed with an unknown result

    /**
     * A lock that is being broken. Meanwhile it is not known which ticket is removed when.
     *
     * @param seen the tickets that the lock has had since the break began
     * @param gone the tickets of these that have gone since; a server that went back to an older state may show them
     *     again
     */
    record Break(String name, SimulatedProcess by, List<Slip> seen, List<Slip> gone) {}

    /** @param wrong receives a description of each violation */
    SimulatedRemovals(InMemoryServer server, Consumer<String> wrong) {
        this.server = server;
        this.wrong = wrong;
    }

    /**
     * Whether this ticket's client may not know yet that another ticket of its own, ahead of this one, has been
     * removed.
     */
    boolean mayDelay(Slip slip) {
        return isBreaking(slip.name())
                || removed.stream()
                        .anyMatch(other ->
                                other.owner() == slip.owner() && other.name().equals(slip.name()));
    }

    private boolean isBreaking(String name) {
        return breaking.stream().anyMatch(one -> one.name().equals(name));
    }

    /** Whether a client is breaking a lock; then it takes its own holds of the lock for lost before the store knows. */
    boolean isBreaking(SimulatedProcess process, String name) {
        return breaking.stream()
                .anyMatch(one -> one.by() == process && one.name().equals(name));
    }

    /** Whether a ticket of this name may have been taken away from a client. */
    boolean concern(SimulatedProcess process, String name) {
        return isBreaking(name) || removed.stream().anyMatch(slip -> slip.name().equals(name) && process.owns(slip));
    }

    /** Whether any ticket was or may have been taken away. */
    boolean any() {
        return !removed.isEmpty() || !breaking.isEmpty();
    }

    /** Remembers that this ticket is being removed. */
    void remove(Slip slip) {
        removed.add(slip);
    }

    /** Remembers that a lock is being broken from now on. */
    Break beginBreak(String name, SimulatedProcess by) {
        Break begun = new Break(name, by, new ArrayList<>(), new ArrayList<>());
        breaking.add(begun);
        look();
        return begun;
    }

    /** Looks which tickets the locks have now that are being broken. */
    void look() {
        for (Break one : breaking) {
            List<Slip> living = server.tickets().slips(one.name());
            for (Slip slip : living) {
                if (!contains(one.seen(), slip)) {
                    one.seen().add(slip);
                }
            }
            for (Slip slip : one.seen()) {
                if (!contains(living, slip) && !contains(one.gone(), slip)) {
                    one.gone().add(slip);
                }
            }
        }
    }

    /** To be called when a lock has been broken; never called if that has failed. */
    void endBreak(Break one, List<SimulatedUse> uses) {
        look();
        breaking.remove(one);
        for (Slip slip : one.gone()) {
            if (!contains(removed, slip)) {
                removed.add(slip);
                if (one.by().owns(slip) && !slip.owner().ended && !mayBeByAnother(one.by(), slip)) {
                    removedByOwner.add(slip);
                }
            }
        }
        uses.forEach(use -> judgeEntry(use, one.name()));
    }

    /** Whether another client may have removed the ticket just before, so that this client need not have seen it. */
    private boolean mayBeByAnother(SimulatedProcess by, Slip slip) {
        return breaking.stream().anyMatch(other -> other.by() != by && contains(other.seen(), slip));
    }

    private static boolean contains(List<Slip> slips, Slip slip) {
        return slips.stream().anyMatch(other -> isSame(slip, other));
    }

    /** Checks that nothing is held by a ticket that its own client has removed. */
    void judgeEntry(SimulatedUse use, String name) {
        if (use.concerns(name) && removedByOwner.stream().anyMatch(slip -> isBy(use, slip, name)) && use.isHeld()) {
            wrong.accept("held by a ticket that its own client has removed: " + use.want());
        }
    }

    private static boolean isBy(SimulatedUse use, Slip slip, String name) {
        return slip.name().equals(name) && use.isBy(slip);
    }

    private static boolean isSame(Slip slip, Slip other) {
        return slip.token() == other.token() && slip.name().equals(other.name());
    }

    /** Whether the ticket by which this is held may have been taken away. */
    boolean concern(SimulatedUse use, String name) {
        return removed.stream().anyMatch(slip -> isBy(use, slip, name))
                || (isBreaking(name) && server.tickets().slips(name).stream().noneMatch(use::isBy))
                || breaking.stream().flatMap(one -> one.gone().stream()).anyMatch(slip -> isBy(use, slip, name));
    }
}
