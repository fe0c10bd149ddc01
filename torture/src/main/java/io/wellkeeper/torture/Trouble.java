package io.wellkeeper.torture;

import io.wellkeeper.torture.Spans.Span;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * When a run was disturbed, so that promises about time do not count. Faults disturb until a session later, because that
 * long the store may keep what a lost session had. A process that stood still for a quarter of a session or longer, because
 * the machine was busy, is disturbed for twice that time.
 */
final class Trouble {

    private final Map<Integer, Spans> processes = new HashMap<>();
    private final Map<Integer, Spans> stops = new HashMap<>();
    private final Spans everybody;

    Trouble(Run run) {
        long session = run.setting(Run.SESSION_TIMEOUT);
        List<Span> servers = new ArrayList<>(stalls(run, Run.NOBODY));
        Map<Integer, List<Span>> own = new HashMap<>();
        Map<Integer, List<Span>> standing = new HashMap<>();
        List<Span> any = new ArrayList<>();
        for (int process : run.processes()) {
            List<Span> stalls = stalls(run, process);
            own.put(process, new ArrayList<>(stalls));
            standing.put(process, new ArrayList<>(run.stalls(process)));
            any.addAll(stalls);
            if (run.wasKilled(process)) {
                any.add(new Span(run.gone(process), run.gone(process)).and(session));
            }
        }
        for (Run.FaultSpan fault : run.faults()) {
            long healed = fault.healed == Section.NEVER ? run.end() : fault.healed;
            Span whole = new Span(fault.begin, healed);
            if (fault.process == Run.NOBODY) {
                servers.add(whole.and(session));
                continue;
            }
            own.computeIfAbsent(fault.process, unused -> new ArrayList<>()).add(whole.and(session));
            any.add(new Span(fault.begin, Math.min(healed, fault.begin + session)).and(session));
            if (FaultKind.stops(fault.kind)) {
                standing.computeIfAbsent(fault.process, unused -> new ArrayList<>())
                        .add(whole);
            }
        }
        own.forEach((process, spans) -> {
            spans.addAll(servers);
            processes.put(process, new Spans(spans));
        });
        standing.forEach((process, spans) -> stops.put(process, new Spans(spans)));
        any.addAll(servers);
        everybody = new Spans(any);
    }

    private static List<Span> stalls(Run run, int process) {
        long least = run.setting(Run.SESSION_TIMEOUT) / 4;
        return run.stalls(process).stream()
                .filter(span -> span.to() - span.from() >= least)
                .map(span -> span.and(span.to() - span.from()))
                .toList();
    }

    /** When a process had trouble: its own, or the servers'. */
    Spans of(int process) {
        return processes.getOrDefault(process, new Spans(List.of()));
    }

    /** When a process did not run. */
    Spans stops(int process) {
        return stops.getOrDefault(process, new Spans(List.of()));
    }

    /** When anybody had trouble that others may have to wait for. */
    Spans ofEverybody() {
        return everybody;
    }
}
