package io.wellkeeper.torture;

import io.wellkeeper.torture.Spans.Span;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The times at which a run was disturbed, so that promises about time do not count. A fault disturbs until a session
 * timeout after its end, because the store may keep the tickets of a lost session for so long. A process that stalled
 * for a quarter of a session or longer because the machine was busy is disturbed for twice that time; shorter stalls
 * are counted by {@link #delay(int, long, long)}. A process that has just been started is slow for a session. A burst
 * of requests makes its client slow until all are answered, because later requests come behind them; the client loses
 * nothing by it. The same is true of some faults that set clocks, and of others by which no session can end. No session
 * survives an outage, so after it no client has to wait for old sessions; but clients may learn of their losses until a
 * session later.
 *
 * <p>By some faults a store forgets acknowledged changes, as the store itself says. Then even exclusion does not count,
 * until all holders must have been told. The same is true when a lock is taken away by force, because its holder hears
 * of that later; and after {@code FLUSHALL} if a process was stalled just then, because its session may have begun anew
 * unnoticed. A server that dies by itself may have served badly for a session before its end.
 */
final class Trouble {

    private final Map<Integer, Spans> processes = new HashMap<>();
    private final Map<Integer, Spans> losses = new HashMap<>();
    private final Map<Integer, Spans> stops = new HashMap<>();
    private final Map<Integer, Spans> stalls = new HashMap<>();
    private final Spans allStalls;
    private final long session;
    private final Spans everybody;
    private final Spans forgetful;

    Trouble(Run run) {
        session = run.setting(Run.SESSION_TIMEOUT);
        List<Span> outages = run.faults().stream()
                .filter(Trouble::isOutage)
                .map(fault -> whole(run, fault))
                .toList();
        List<Span> slowness = run.stalls(Run.NOBODY).stream() // only if it has another reason than an outage
                .filter(span ->
                        outages.stream().noneMatch(outage -> outage.from() < span.to() && span.from() < outage.to()))
                .toList();
        List<Span> servers = new ArrayList<>(doubled(slowness));
        List<Span> slowServers = new ArrayList<>(outages);
        Map<Integer, List<Span>> own = new HashMap<>();
        Map<Integer, List<Span>> slow = new HashMap<>();
        Map<Integer, List<Span>> standing = new HashMap<>();
        List<Span> any = new ArrayList<>();
        List<Span> busy = new ArrayList<>(servers);
        List<Span> counted = new ArrayList<>(slowness);
        for (int process : run.processes()) {
            List<Span> stalls = doubled(run.stalls(process));
            own.put(process, new ArrayList<>(stalls));
            standing.put(process, new ArrayList<>());
            slow.put(process, new ArrayList<>(run.bursts(process)));
            List<Span> still = new ArrayList<>(run.stalls(process));
            still.addAll(slowness);
            this.stalls.put(process, new Spans(still));
            counted.addAll(still);
            run.beginning(process).map(span -> span.and(session)).ifPresent(cold -> {
                own.get(process).add(cold);
                any.add(cold);
            });
            any.addAll(stalls);
            busy.addAll(stalls);
            if (run.wasKilled(process)) {
                any.add(new Span(run.gone(process), run.gone(process)).and(session));
            }
        }
        allStalls = new Spans(counted);
        Spans stood = new Spans(busy);
        List<Span> forgotten = new ArrayList<>();
        for (Run.FaultSpan fault : run.faults()) {
            Span whole = whole(run, fault);
            long healed = whole.to();
            boolean flush = fault.kind.equals(FaultKind.FLUSH.word());
            if (fault.forgets || (flush && stood.touch(fault.begin - session, healed))) {
                forgotten.add(whole.and(session));
            }
            if (fault.endsRun) {
                servers.add(new Span(fault.begin - session, healed));
            }
            if (fault.kind.equals(FaultKind.BROKEN_LOCK.word())) {
                forgotten.add(new Span(fault.begin, Math.min(healed, fault.struck)).and(session));
            }
            boolean mayEndSession = FaultKind.mayEndSession(fault.kind);
            if (isOutage(fault)) {
                continue;
            }
            if (fault.process == Run.NOBODY) {
                (mayEndSession ? servers : slowServers).add(whole.and(session));
                continue;
            }
            (mayEndSession ? own : slow)
                    .computeIfAbsent(fault.process, unused -> new ArrayList<>())
                    .add(whole.and(session));
            any.add(new Span(fault.begin, Math.min(healed, fault.begin + session)).and(session));
            if (FaultKind.stops(fault.kind)) {
                standing.computeIfAbsent(fault.process, unused -> new ArrayList<>())
                        .add(whole);
            }
        }
        own.forEach((process, spans) -> {
            spans.addAll(servers);
            losses.put(
                    process,
                    new Spans(Stream.concat(spans.stream(), outages.stream().map(outage -> outage.and(session)))
                            .toList()));
            spans.addAll(slow.getOrDefault(process, List.of()));
            spans.addAll(slowServers);
            processes.put(process, new Spans(spans));
        });
        standing.forEach((process, spans) -> stops.put(process, new Spans(spans)));
        any.addAll(servers);
        any.addAll(slowServers);
        everybody = new Spans(any);
        forgetful = new Spans(forgotten);
    }

    private static boolean isOutage(Run.FaultSpan fault) {
        return fault.kind.equals(FaultKind.OUTAGE.word());
    }

    private static Span whole(Run run, Run.FaultSpan fault) {
        return new Span(fault.begin, fault.healed == Section.NEVER ? run.end() : fault.healed);
    }

    /** The stalls that are long enough to disturb, each with twice its length. */
    private List<Span> doubled(List<Span> stalls) {
        long least = session / 4;
        return stalls.stream()
                .filter(span -> span.to() - span.from() >= least)
                .map(span -> span.and(span.to() - span.from()))
                .toList();
    }

    /** The times at which a process had trouble: its own, or that of the servers. */
    Spans of(int process) {
        return processes.getOrDefault(process, new Spans(List.of()));
    }

    /** The times at which a process may have lost its session by a fault: its own, or one of the servers. */
    Spans losses(int process) {
        return losses.getOrDefault(process, new Spans(List.of()));
    }

    /** The times at which a process was stopped by a fault. */
    Spans stops(int process) {
        return stops.getOrDefault(process, new Spans(List.of()));
    }

    /**
     * How much of the time between two moments a process could not use, because the machine or the servers were busy.
     */
    long delay(int process, long from, long to) {
        return stalls.getOrDefault(process, new Spans(List.of())).common(from, to);
    }

    /**
     * How much of the time between two moments any process could not use, because the machine or the servers were busy.
     */
    long delay(long from, long to) {
        return allStalls.common(from, to);
    }

    /** Whether a process may have lost its session at that time, because the machine or the servers were busy. */
    boolean mayLose(int process, long time) {
        return delay(process, time - 2 * session, time) >= session / 5;
    }

    /** The times at which two holders may be inside, because the store has forgotten something. */
    Spans forgetful() {
        return forgetful;
    }

    /** The times at which any process had trouble for which others may have to wait. */
    Spans ofEverybody() {
        return everybody;
    }
}
