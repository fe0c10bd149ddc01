package io.wellkeeper.benchmarks;

import io.wellkeeper.benchmarks.Slot.Job;
import io.wellkeeper.benchmarks.Slot.Reply;
import io.wellkeeper.benchmarks.Slot.Role;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Runs slots on one topology. The contestants take turns: first once without a result, then in as many rounds as
 * wanted. If several holders are allowed at once, each contestant first runs a slot in which the holders stay for a
 * while, to show that there are never more of them: holders that release at once hardly ever meet.
 */
final class Campaign {

    private static final int LONGEST_WINDOW = 16; // times the usual window
    private static final int STAY_MILLIS = 20; // longer than other threads need to come in
    private static final int QUIET = 20; // a round is quiet if it takes longer than so many times its compiling
    private static final long BEGIN_TIMEOUT_NANOS = 30_000_000_000L;

    private final Store store;
    private final Topology topology;
    private final Servers servers;
    private final Fleet ours;
    private final Fleet peers;
    private final Scoreboard board;
    private final Pace pace;
    private int slots;
    private long compilingMillis; // in the last slot, of all workers together

    Campaign(Store store, Topology topology, Servers servers, Fleet ours, Fleet peers, Scoreboard board, Pace pace) {
        this.store = store;
        this.topology = topology;
        this.servers = servers;
        this.ours = ours;
        this.peers = peers;
        this.board = board;
        this.pace = pace;
    }

    /**
     * Lets all processes of each side cycle, with the locks of its contestants in turn: once, and then until little is
     * left to compile, or the time is over.
     *
     * @param atMostMillis the time for each side; each contestant has one turn even if that takes longer
     */
    void warmUp(Work work, int atMostMillis) throws IOException, InterruptedException {
        Map<Boolean, List<Contestant>> sides =
                pace.contestants(store, work).stream().collect(Collectors.groupingBy(Contestant::isOurs));
        for (List<Contestant> side : sides.values()) {
            warmUp(work, side, atMostMillis);
        }
    }

    private void warmUp(Work work, List<Contestant> side, int atMostMillis) throws IOException, InterruptedException {
        long whole = (long) side.size() * work.roles().size() * pace.warmUpSlotMillis();
        long end = System.nanoTime() + atMostMillis * 1_000_000L;
        boolean quiet;
        do {
            long compiling = 0;
            for (Contestant contestant : side) {
                slot(work, contestant, 0, pace.warmUpSlotMillis(), 0);
                compiling += compilingMillis;
            }
            quiet = compiling * QUIET < whole;
        } while (!quiet && System.nanoTime() < end);
    }

    /** All rounds of one work. */
    Measured run(Work work) throws IOException, InterruptedException {
        List<Contestant> contestants = pace.contestants(store, work);
        if (!work.isHolding()) {
            for (Contestant contestant : contestants) {
                discard(work, contestant);
            }
        }
        Map<Contestant, List<Map<Measure, Double>>> rounds = new EnumMap<>(Contestant.class);
        for (int round = 0; round < pace.rounds(work); round++) {
            for (Contestant contestant : contestants) {
                Map<Measure, Double> outcome = slot(work, contestant, round, pace.windowMillis(store, work), 0);
                rounds.computeIfAbsent(contestant, key -> new ArrayList<>()).add(outcome);
            }
        }
        return new Measured(topology, work, rounds);
    }

    private void discard(Work work, Contestant contestant) throws IOException, InterruptedException {
        if (work.isShared()) {
            slot(work, contestant, 0, pace.coldMillis(), STAY_MILLIS);
        }
        slot(work, contestant, 0, pace.coldMillis(), 0);
    }

    /** Runs one slot. If the window was too short for a single cycle, runs another slot with a longer window. */
    private Map<Measure, Double> slot(Work work, Contestant contestant, int round, int windowMillis, int stayMillis)
            throws IOException, InterruptedException {
        String what = topology.title() + ", " + work.title() + ", " + contestant.title();
        for (int millis = windowMillis; millis <= windowMillis * LONGEST_WINDOW; millis *= 2) {
            Map<Measure, Double> outcome;
            try {
                outcome = trySlot(work, contestant, round, millis, stayMillis);
            } catch (IOException | IllegalStateException failure) {
                throw new IllegalStateException(what + ": " + failure.getMessage(), failure);
            }
            if (!outcome.isEmpty()) {
                return outcome;
            }
        }
        throw new IllegalStateException(what + ": no cycle ended in " + windowMillis * LONGEST_WINDOW + " ms");
    }

    private Map<Measure, Double> trySlot(Work work, Contestant contestant, int round, int windowMillis, int stayMillis)
            throws IOException, InterruptedException {
        int processes = work.roles().size();
        Fleet fleet = contestant.isOurs() ? ours : peers;
        slots++;
        board.reset();
        List<Job> jobs = new ArrayList<>();
        for (int process = 0; process < processes; process++) {
            Role role = work.roles().get(process);
            jobs.add(new Job(
                    store,
                    role.isNewcomer() ? contestant.asNewcomer() : contestant,
                    work.recipe(),
                    work.size(),
                    servers.uri(round + process),
                    "slot" + slots,
                    role,
                    work.threads(),
                    stayMillis,
                    1 + process * work.threads()));
        }
        fleet.prepare(jobs);
        long requestsBefore = servers.requests();
        fleet.run(processes);
        awaitBegun(processes * work.threads());
        Thread.sleep(pace.warmMillis(work));
        long start = System.nanoTime();
        board.beginMeasuring();
        Thread.sleep(windowMillis);
        board.end();
        long windowNanos = System.nanoTime() - start;
        List<Reply> replies = fleet.replies(processes);
        long requests = servers.requests()
                - requestsBefore
                + replies.stream().mapToLong(Reply::requests).sum();
        fleet.disconnect(processes);
        compilingMillis = replies.stream().mapToLong(Reply::compilingMillis).sum();
        return Outcome.of(work, replies, windowNanos, requests);
    }

    private void awaitBegun(int threads) throws InterruptedException {
        long deadline = System.nanoTime() + BEGIN_TIMEOUT_NANOS;
        while (board.begun() < threads) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("not all threads have begun");
            }
            Thread.sleep(1);
        }
    }
}
