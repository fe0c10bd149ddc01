package io.wellkeeper.testkit;

import io.wellkeeper.spi.Ticket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** What goes wrong in a schedule; each one has some of all kinds, because those that have all are all alike. */
final class SimulationFaults {

    private enum Fault {
        CUT,
        PAUSE,
        KILL,
        CLOSE,
        EXPIRE,
        FREEZE,
        RESTART,
        LOSE_REPLY,
        EVICT,
        WAKE
    }

    /** What becomes of the process that was struck. */
    enum Fate {
        LIVES,
        KILLED,
        CLOSED
    }

    private final SplittableRandom random;
    private final InMemoryServer server;
    private final SimulationHistory history;
    private final List<Fault> kinds;
    private final List<SimulatedProcess> dead = new ArrayList<>();

    SimulationFaults(SplittableRandom random, InMemoryServer server, SimulationHistory history) {
        this.random = random;
        this.server = server;
        this.history = history;
        Set<Fault> some = EnumSet.noneOf(Fault.class);
        for (Fault kind : Fault.values()) {
            if (random.nextInt(3) == 0) {
                some.add(kind);
            }
        }
        kinds = List.copyOf(some);
        if (random.nextInt(4) == 0) {
            server.showDeparted();
        }
        if (random.nextInt(3) == 0) {
            server.tellApart();
        }
        if (random.nextInt(3) == 0) {
            server.tellQueue(1 + random.nextInt(6));
        }
        boolean erratic = random.nextInt(3) == 0;
        server.delay(() -> Duration.ofNanos(
                erratic && random.nextInt(8) == 0 ? random.nextInt(300_000_000) : random.nextInt(4_000_000)));
    }

    Fate strike(int who, SimulatedProcess process, List<String> names, SimulatedPrimitive primitive) {
        if (kinds.isEmpty()) {
            return Fate.LIVES;
        }
        Fault fault = kinds.get(random.nextInt(kinds.size()));
        history.note(fault.name(), who, 0);
        switch (fault) {
            case CUT -> {
                if (process.isCut()) {
                    process.mend();
                } else {
                    process.cut();
                }
            }
            case PAUSE -> {
                if (process.isPaused()) {
                    process.resume();
                } else {
                    process.pause();
                }
            }
            case KILL -> {
                process.kill();
                dead.add(process);
                return Fate.KILLED;
            }
            case CLOSE -> {
                if (process.isWell() && !server.isFrozen()) {
                    return Fate.CLOSED;
                }
            }
            case EXPIRE -> {
                if (names.stream().noneMatch(name -> mayBeIn(process, name, primitive))) {
                    process.expireSessions();
                }
            }
            case FREEZE -> {
                if (server.isFrozen()) {
                    server.unfreeze();
                } else {
                    server.freeze();
                }
            }
            case RESTART -> server.restart();
            case LOSE_REPLY -> server.loseNextReplyOfTake();
            case EVICT -> evict(names.get(random.nextInt(names.size())), primitive);
            case WAKE -> server.wakeForNothing();
        }
        return Fate.LIVES;
    }

    /**
     * Removes one that waits: no store can keep a holder from being removed by hand, nor one that waits behind those of
     * its own client from being in soon.
     */
    private void evict(String name, SimulatedPrimitive primitive) {
        List<Slip> slips = server.tickets().slips(name);
        if (!slips.isEmpty()) {
            int index = random.nextInt(slips.size());
            boolean alone = slips.subList(0, index).stream()
                    .noneMatch(other -> other.owner() == slips.get(index).owner());
            if (alone && !mayBeIn(slips, index, primitive)) {
                server.removeTicket(name, index);
            }
        }
    }

    /** Sessions that have something end by the server's clock only, as their owners rely on. */
    private boolean mayBeIn(SimulatedProcess process, String name, SimulatedPrimitive primitive) {
        List<Slip> slips = server.tickets().slips(name);
        return IntStream.range(0, slips.size())
                .anyMatch(index -> process.owns(slips.get(index)) && mayBeIn(slips, index, primitive));
    }

    /** Tickets that its owner has given back may still be ahead of it. */
    private static boolean mayBeIn(List<Slip> slips, int index, SimulatedPrimitive primitive) {
        Slip slip = slips.get(index);
        List<Ticket> ahead = slips.subList(0, index).stream()
                .filter(other -> other.owner() != slip.owner())
                .map(Slip::ticket)
                .toList();
        return primitive.admits(slip.name(), slip.ticket(), ahead);
    }

    void heal(List<SimulatedProcess> processes) {
        if (server.isFrozen()) {
            server.unfreeze();
        }
        for (SimulatedProcess process : processes) {
            if (process.isCut()) {
                process.mend();
            }
            if (process.isPaused()) {
                process.resume();
            }
        }
    }

    boolean hasDead() {
        return !dead.isEmpty();
    }

    /** Sessions of the killed end at once. */
    void expireDead() {
        dead.forEach(SimulatedProcess::expireSessions);
    }
}
