package io.wellkeeper.testkit;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
    private final Map<String, List<Slip>> breaking = new HashMap<>(); // the tickets seen since it began, by name

    /** @param wrong told what must not be */
    SimulatedRemovals(InMemoryServer server, Consumer<String> wrong) {
        this.server = server;
        this.wrong = wrong;
    }

    /** Whether this one may not know yet that one of its own client's ahead of it has been removed. */
    boolean mayDelay(Slip slip) {
        return breaking.containsKey(slip.name())
                || removed.stream()
                        .anyMatch(other ->
                                other.owner() == slip.owner() && other.name().equals(slip.name()));
    }

    /** Whether anything was taken away. */
    boolean any() {
        return !removed.isEmpty() || !breaking.isEmpty();
    }

    /** This ticket is removed. */
    void remove(Slip slip) {
        removed.add(slip);
    }

    /** From now on a lock is being broken; who holds it when will not be known. */
    void beginBreak(String name) {
        breaking.put(name, new ArrayList<>());
        look();
    }

    /** Looks who has tickets now. */
    void look() {
        breaking.forEach((name, seen) -> {
            for (Slip slip : server.tickets().slips(name)) {
                if (seen.stream().noneMatch(other -> isSame(slip, other))) {
                    seen.add(slip);
                }
            }
        });
    }

    /** The lock has been broken; if that has failed, this is never called. */
    void endBreak(String name, SimulatedProcess by, List<SimulatedUse> uses) {
        look();
        List<Slip> living = server.tickets().slips(name);
        for (Slip slip : breaking.remove(name)) {
            if (living.stream().noneMatch(other -> isSame(slip, other))) {
                removed.add(slip);
                if (by.owns(slip)) {
                    removedByOwner.add(slip);
                }
            }
        }
        uses.forEach(use -> judgeEntry(use, name));
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
        return slip.token() == other.token();
    }

    /** Whether the ticket by which this is in has been taken away. */
    boolean concern(SimulatedUse use, String name) {
        return removed.stream().anyMatch(slip -> isBy(use, slip, name))
                || (breaking.containsKey(name)
                        && server.tickets().slips(name).stream().noneMatch(use::isBy));
    }
}
