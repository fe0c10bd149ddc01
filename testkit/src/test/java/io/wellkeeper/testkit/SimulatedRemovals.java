package io.wellkeeper.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The tickets that somebody other than their users has removed. Until he is told, and that may take a heartbeat, who is in
 * by such a ticket believes to be in beside others.
 */
final class SimulatedRemovals {

    private final InMemoryServer server;
    private final Consumer<String> wrong;
    private final List<Slip> removed = new ArrayList<>();
    private final List<Slip> removedByOwner = new ArrayList<>(); // who must have known at once
    private final List<Break> breaking = new ArrayList<>(); // that go on, or have failed and may still be done

    /**
     * A lock is being broken; who holds it when will not be known.
     *
     * @param seen the tickets that there were since it began
     * @param gone those of them that were gone since, though a server that went back to an older state may show them again
     */
    record Break(String name, SimulatedProcess by, List<Slip> seen, List<Slip> gone) {}

    /** @param wrong told what must not be */
    SimulatedRemovals(InMemoryServer server, Consumer<String> wrong) {
        this.server = server;
        this.wrong = wrong;
    }

    /** Whether this one may not know yet that one of its own client's ahead of it has been removed. */
    boolean mayDelay(Slip slip) {
        return isBreaking(slip.name())
                || removed.stream()
                        .anyMatch(other ->
                                other.owner() == slip.owner() && other.name().equals(slip.name()));
    }

    private boolean isBreaking(String name) {
        return breaking.stream().anyMatch(one -> one.name().equals(name));
    }

    /** Whether a client is breaking a lock, so that it takes what it has of it for lost before the store knows. */
    boolean isBreaking(SimulatedProcess process, String name) {
        return breaking.stream()
                .anyMatch(one -> one.by() == process && one.name().equals(name));
    }

    /** Whether something of this name may have been taken away from a client. */
    boolean concern(SimulatedProcess process, String name) {
        return isBreaking(name) || removed.stream().anyMatch(slip -> slip.name().equals(name) && process.owns(slip));
    }

    /** Whether anything was taken away. */
    boolean any() {
        return !removed.isEmpty() || !breaking.isEmpty();
    }

    /** This ticket is removed. */
    void remove(Slip slip) {
        removed.add(slip);
    }

    /** From now on a lock is being broken. */
    Break beginBreak(String name, SimulatedProcess by) {
        Break begun = new Break(name, by, new ArrayList<>(), new ArrayList<>());
        breaking.add(begun);
        look();
        return begun;
    }

    /** Looks who has tickets now. */
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

    /** The lock has been broken; if that has failed, this is never called. */
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

    /** Whether another client may have removed it just before, so that this one need not have seen it. */
    private boolean mayBeByAnother(SimulatedProcess by, Slip slip) {
        return breaking.stream().anyMatch(other -> other.by() != by && contains(other.seen(), slip));
    }

    private static boolean contains(List<Slip> slips, Slip slip) {
        return slips.stream().anyMatch(other -> isSame(slip, other));
    }

    /** Nobody is in by a ticket that his own client has removed. */
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

    /** Whether the ticket by which this is in has been taken away. */
    boolean concern(SimulatedUse use, String name) {
        return removed.stream().anyMatch(slip -> isBy(use, slip, name))
                || (isBreaking(name) && server.tickets().slips(name).stream().noneMatch(use::isBy))
                || breaking.stream().flatMap(one -> one.gone().stream()).anyMatch(slip -> isBy(use, slip, name));
    }
}
