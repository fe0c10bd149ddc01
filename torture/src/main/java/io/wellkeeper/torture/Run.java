package io.wellkeeper.torture;

import io.wellkeeper.torture.Event.Kind;
import io.wellkeeper.torture.Spans.Span;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A whole history in a form for the rules. The events of one acquisition must be added in order, the others in any
 * order.
 */
final class Run {

    /** The name of a {@link Kind#SETTING}: the session timeout in nanoseconds. */
    static final String SESSION_TIMEOUT = "session-timeout";

    /** The name of a {@link Kind#SETTING}: how soon a free lock must go to a waiter, in nanoseconds. */
    static final String BOUND = "bound";

    /** The process number of the controller and the servers. */
    static final int NOBODY = 0;

    /** The flag of a fault by which the store may forget acknowledged changes. */
    static final long FORGETS = 1;

    /** The flag of a fault during which the servers refuse each change. */
    static final long REFUSES = 2;

    /** The flag of a fault that was not planned: a server has died by itself, and the run ends by that. */
    static final long ENDS_RUN = 4;

    private static final int OP_BITS = 40;

    /** A lock with its acquisitions. */
    static final class LockUse {

        final String name;
        final long permits;
        final long flags;
        final List<Section> sections = new ArrayList<>();

        LockUse(String name, long permits, long flags) {
            this.name = name;
            this.permits = permits;
            this.flags = flags;
        }

        boolean isExclusive(Section section) {
            return section.permits >= permits;
        }

        boolean has(long flag) {
            return (flags & flag) != 0;
        }

        /** The granted sections with a token: one list for each token, in order of time; smaller tokens first. */
        List<List<Section>> byToken() {
            List<Section> sorted = sections.stream()
                    .filter(section -> section.isGranted() && section.token != Section.NO_TOKEN)
                    .sorted(Comparator.comparingLong((Section section) -> section.token)
                            .thenComparingLong(section -> section.granted))
                    .toList();
            List<List<Section>> groups = new ArrayList<>();
            int from = 0;
            for (int to = 1; to <= sorted.size(); to++) {
                if (to == sorted.size() || sorted.get(to).token != sorted.get(from).token) {
                    groups.add(sorted.subList(from, to));
                    from = to;
                }
            }
            return groups;
        }
    }

    /** A fault and its times. */
    static final class FaultSpan {

        final int process;
        final String kind;
        boolean forgets; // whether the store may forget acknowledged changes by it
        boolean refuses; // whether the servers refuse each change during it
        boolean endsRun; // whether it is the death of a server by itself
        int code; // the exit code of that server
        long begin = Section.NEVER;
        long struck = Section.NEVER;
        long healing = Section.NEVER;
        long healed = Section.NEVER;

        FaultSpan(int process, String kind) {
            this.process = process;
            this.kind = kind;
        }
    }

    /** The known values of the count of a latch. */
    static final class LatchUse {

        long first;
        long last;
        long asked = Section.NEVER; // when the store was asked for the last count
        long seen = Section.NEVER; // when the store had answered
        final List<Event> counted = new ArrayList<>();
    }

    /** A write that was accepted at some time between its begin and its end. */
    record Write(long begin, long end, String lock, long token) {}

    /** The beginning of a part of the run. */
    record Phase(long time, String name) {}

    /** How a process ended. */
    private record End(long time, boolean killed) {}

    private final Map<String, Long> settings = new HashMap<>();
    private final Map<String, LockUse> locks = new TreeMap<>();
    private final Map<Long, Section> sections = new HashMap<>();
    private final Map<Long, FaultSpan> faults = new TreeMap<>();
    private final Map<String, LatchUse> latches = new TreeMap<>();
    private final Map<Integer, List<Span>> stalls = new HashMap<>();
    private final Map<Integer, List<Span>> bursts = new HashMap<>();
    private final Map<Integer, End> ends = new HashMap<>();
    private final Map<Integer, Long> starts = new HashMap<>();
    private final Map<Integer, Long> firstRequests = new HashMap<>();
    private final Set<Integer> processes = new TreeSet<>();
    private final List<Phase> phases = new ArrayList<>();
    private final List<Write> accepted = new ArrayList<>();
    private final List<Violation> plain = new ArrayList<>();
    private final List<Write> fenced = new ArrayList<>();
    private long refusals;
    private long fencedOff;
    private long begin = Section.NEVER;
    private long end = Long.MIN_VALUE;

    /**
     * Reads a history.
     *
     * @param directory of the run
     * @throws IllegalArgumentException if it cannot be read
     */
    static Run read(Path directory) {
        Run run = new Run();
        History.read(directory, run::add);
        run.finish();
        return run;
    }

    /** Adds an event. */
    void add(Event event) {
        begin = Math.min(begin, event.time());
        end = Math.max(end, event.time());
        if (event.process() != NOBODY) {
            processes.add(event.process());
        }
        switch (event.kind()) {
            case SETTING -> settings.put(event.what(), event.a());
            case LOCK -> locks.put(event.what(), new LockUse(event.what(), event.a(), event.b()));
            case GONE -> ends.put(event.process(), new End(event.time(), event.a() == 1));
            case STALLED -> {
                end = Math.max(end, event.time() + event.a());
                stalls.computeIfAbsent(event.process(), unused -> new ArrayList<>())
                        .add(new Span(event.time(), event.time() + event.a()));
            }
            case BURST_OVER ->
                bursts.computeIfAbsent(event.process(), unused -> new ArrayList<>())
                        .add(new Span(event.time() - event.a(), event.time()));
            case FAULT -> {
                FaultSpan fault = fault(event);
                fault.begin = event.time();
                fault.forgets = (event.a() & FORGETS) != 0;
                fault.refuses = (event.a() & REFUSES) != 0;
                fault.endsRun = (event.a() & ENDS_RUN) != 0;
                fault.code = Math.toIntExact(event.b());
            }
            case STRUCK -> fault(event).struck = event.time();
            case HEALING -> fault(event).healing = event.time();
            case HEALED -> fault(event).healed = event.time();
            case ACCEPTED -> accepted.add(new Write(event.time(), event.time(), event.what(), event.a()));
            case FENCED -> fenced.add(new Write(event.time() - event.b(), event.time(), event.what(), event.a()));
            case LEFT_BEHIND ->
                violation(
                        "left-behind",
                        event,
                        event.process() == NOBODY
                                ? event.a() + " of it are left in the store after everybody has gone"
                                : "process " + event.process() + " was left with " + event.a() + " " + event.what());
            case BUG -> violation("bug", event, "process " + event.process() + " met with " + event.what());
            case STARTED -> starts.put(event.process(), event.time());
            case COUNT -> {
                LatchUse latch = latch(event);
                if (event.b() == 0) {
                    latch.first = event.a();
                } else if (event.b() == 1) {
                    latch.asked = event.time();
                } else {
                    latch.last = event.a();
                    latch.seen = event.time();
                }
            }
            case COUNTED -> latch(event).counted.add(event);
            case PHASE -> phases.add(new Phase(event.time(), event.what()));
            default -> section(event);
        }
    }

    private void violation(String rule, Event event, String detail) {
        plain.add(new Violation(rule, event.time(), event.kind() == Kind.BUG ? "-" : event.what(), detail));
    }

    private FaultSpan fault(Event event) {
        return faults.computeIfAbsent(event.op(), unused -> new FaultSpan(event.process(), event.what()));
    }

    private LatchUse latch(Event event) {
        return latches.computeIfAbsent(event.what(), unused -> new LatchUse());
    }

    private void section(Event event) {
        Section section = sections.computeIfAbsent(
                ((long) event.process() << OP_BITS) + event.op(), unused -> new Section(event.process(), event.op()));
        long time = event.time();
        switch (event.kind()) {
            case REQUEST -> {
                LockUse use = locks.get(event.what());
                section.lock = use == null ? event.what() : use.name; // all sections share one String
                section.request = time;
                firstRequests.merge(event.process(), time, Math::min);
                section.permits = Math.toIntExact(event.a());
                section.timeout = event.b();
            }
            case GRANTED -> {
                section.granted = time;
                section.token = event.a();
            }
            case GAVE_UP -> {
                section.over = time;
                section.gaveUp = true;
            }
            case INTERRUPT -> section.interrupt = time;
            case INTERRUPTED -> section.over = time;
            case FAILED -> {
                section.over = time;
                section.failure = event.what();
            }
            case HELD -> {
                section.lastHeld = event.a() == 1 ? Math.max(section.lastHeld, time) : section.lastHeld;
                if (event.b() > section.slowest) {
                    section.slowest = event.b();
                    section.slowestAsked = time;
                }
            }
            case LOST -> section.lost = time;
            case RELEASE -> section.release = time;
            case RELEASED -> {
                section.released = time;
                section.releasedInTime = event.a() == 1;
            }
            case REFUSED -> {
                section.refused = Math.min(section.refused, time);
                refusals++;
            }
            case FENCED_OFF -> {
                section.refused = Math.min(section.refused, time);
                fencedOff++;
            }
            default -> throw new IllegalArgumentException("an event of no acquisition: " + event.line());
        }
    }

    /** To be called after the last event. */
    void finish() {
        for (Section section : sections.values()) {
            LockUse use = section.lock == null ? null : locks.get(section.lock);
            if (use != null) { // else its process was killed while it wrote the request
                use.sections.add(section);
            }
        }
        sections.clear();
        death().ifPresent(death -> plain.removeIf(violation -> violation.time() >= death.begin));
    }

    /** The death of a server, if the run ended by that. */
    Optional<FaultSpan> death() {
        return faults.values().stream().filter(fault -> fault.endsRun).findFirst();
    }

    /**
     * The value of a setting.
     *
     * @throws IllegalArgumentException if the history does not have the setting
     */
    long setting(String name) {
        Long value = settings.get(name);
        if (value == null) {
            throw new IllegalArgumentException("the history does not say the setting " + name);
        }
        return value;
    }

    Collection<LockUse> locks() {
        return locks.values();
    }

    Collection<FaultSpan> faults() {
        return faults.values();
    }

    Map<String, LatchUse> latches() {
        return latches;
    }

    List<Phase> phases() {
        return phases;
    }

    Set<Integer> processes() {
        return processes;
    }

    List<Write> accepted() {
        return accepted;
    }

    /** How many writes were refused by the check of tokens alone. */
    long refusals() {
        return refusals;
    }

    /** The writes that the database has accepted behind a fence. */
    List<Write> fenced() {
        return fenced;
    }

    /** How many writes the fence has refused. */
    long fencedOff() {
        return fencedOff;
    }

    /** The violations that a single event shows. */
    List<Violation> plain() {
        return plain;
    }

    List<Span> stalls(int process) {
        return stalls.getOrDefault(process, List.of());
    }

    /**
     * The times in which a process waited for the answers to a burst of requests; without bursts that have not ended.
     */
    List<Span> bursts(int process) {
        return bursts.getOrDefault(process, List.of());
    }

    /** The time from the start of a process until it had connected and asked for a lock; empty if that is not known. */
    Optional<Span> beginning(int process) {
        Long began = starts.get(process);
        return began == null
                ? Optional.empty()
                : Optional.of(new Span(began, Math.max(began, firstRequests.getOrDefault(process, end))));
    }

    /** When a process was gone; the end of the run if it was never gone. */
    long gone(int process) {
        End known = ends.get(process);
        return known == null ? end : known.time();
    }

    /** Whether a process was killed; so are all processes that still run when the run ends before its time. */
    boolean wasKilled(int process) {
        End known = ends.get(process);
        return known == null ? death().isPresent() : known.killed();
    }

    long begin() {
        return begin;
    }

    long end() {
        return end;
    }
}
