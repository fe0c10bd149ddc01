package io.wellkeeper.testkit;

import io.wellkeeper.spi.Ticket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The faults of a schedule. Each schedule has only some kinds of faults: schedules with all kinds would all be alike.
 */
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
        BREAK,
        WAKE,
        LOSE_DATA,
        RESTORE
    }

    /** What happens to the process that was struck, or what it has to do. */
    enum Fate {
        LIVES,
        BREAKS,
        KILLED,
        CLOSED
    }

    private final SplittableRandom random;
    private final InMemoryServer server;
    private final SimulatedRemovals removals;
    private final SimulationHistory history;
    private final List<Fault> kinds;
    private final boolean erratic;
    private InMemoryServer.@Nullable Saved saved;
    private boolean lostData;
    private final List<SimulatedProcess> dead = new ArrayList<>();

    SimulationFaults(
            SplittableRandom random, InMemoryServer server, SimulatedRemovals removals, SimulationHistory history) {
        this.random = random;
        this.server = server;
        this.removals = removals;
        this.history = history;
        kinds = SimulatedSchedule.some(random, List.of(Fault.values()));
        if (random.nextInt(4) == 0) {
            server.showDeparted();
        }
        if (random.nextInt(3) == 0) {
            server.tellApart();
        }
        if (random.nextInt(3) == 0) {
            server.tellQueue(1 + random.nextInt(6));
        }
        int tempo = random.nextInt(6);
        erratic = tempo < 3;
        server.delay(() -> Duration.ofNanos(
                tempo == 0
                        ? random.nextInt(200_000_000)
                        : erratic && random.nextInt(8) == 0 ? random.nextInt(300_000_000) : random.nextInt(4_000_000)));
    }

    /** Whether all messages, or some of them, take very long. */
    boolean isErratic() {
        return erratic;
    }

    /**
     * @param nested whether a thread of any process is held up; then no process may be paused or end, nor break a lock
     */
    Fate strike(int who, SimulatedProcess process, List<String> names, SimulatedPrimitive primitive, boolean nested) {
        if (kinds.isEmpty()) {
            return Fate.LIVES;
        }
        Fault fault = kinds.get(random.nextInt(kinds.size()));
        if (nested && (fault == Fault.PAUSE || fault == Fault.KILL || fault == Fault.CLOSE || fault == Fault.BREAK)) {
            return Fate.LIVES;
        }
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
            case EVICT -> evict(names.get(random.nextInt(names.size())));
            case BREAK -> {
                if (process.isRunning()) {
                    return Fate.BREAKS;
                }
            }
            case WAKE -> server.wakeForNothing();
            case LOSE_DATA -> loseData(server::loseData);
            case RESTORE -> {
                InMemoryServer.Saved older = saved;
                if (older == null) {
                    saved = server.save();
                } else {
                    loseData(() -> server.restore(older));
                }
            }
        }
        return Fate.LIVES;
    }

    private void loseData(Runnable loss) {
        lostData = true;
        loss.run();
    }

    /**
     * Whether the server has lost data. Then it may take as long as a session lasts until the server opens sessions
     * again and no longer shows tickets of forgotten sessions.
     */
    boolean hasLostData() {
        return lostData;
    }

    /** Removes a ticket, as an operator might by hand. */
    void evict(String name) {
        int there = server.tickets().slips(name).size();
        if (there > 0) {
            evict(name, random.nextInt(there));
        }
    }

    private void evict(String name, int index) {
        Slip slip = server.tickets().slips(name).get(index);
        history.note("evict", slip.token(), index);
        removals.remove(slip);
        server.removeTicket(name, index);
    }

    /** Removes a ticket of this process, if the schedule has faults that remove tickets. */
    void evictOneOf(SimulatedProcess process, String name) {
        List<Slip> slips = server.tickets().slips(name);
        if (kinds.contains(Fault.EVICT) || kinds.contains(Fault.BREAK)) {
            IntStream.range(0, slips.size())
                    .filter(index -> process.owns(slips.get(index)))
                    .findFirst()
                    .ifPresent(index -> evict(name, index));
        }
    }

    /**
     * Whether a process may hold something. Its owner relies on it that such a session ends only by the server's clock.
     */
    private boolean mayBeIn(SimulatedProcess process, String name, SimulatedPrimitive primitive) {
        List<Slip> slips = server.tickets().slips(name);
        return IntStream.range(0, slips.size())
                .anyMatch(index -> process.owns(slips.get(index)) && mayBeIn(slips, index, primitive));
    }

    /** Whether a ticket may be in. Tickets of its owner ahead of it do not count: they may have been given back. */
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

    /** Ends the sessions of killed processes at once. */
    void expireDead() {
        dead.forEach(SimulatedProcess::expireSessions);
    }
}
