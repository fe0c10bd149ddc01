package io.wellkeeper.torture;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The promises once more, each straight from its definition and however long it takes. */
final class BruteForce {

    private static final long HUNDRED_MILLIS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Run run;
    private final Trouble trouble;

    BruteForce(Run run) {
        this.run = run;
        this.trouble = new Trouble(run);
    }

    /** Which of the rules that are not plain are broken; those of exclusion and tokens as one, {@code order}. */
    Set<String> broken() {
        Set<String> broken = new TreeSet<>();
        for (Run.LockUse lock : run.locks()) {
            boolean mutex = lock.permits == 1;
            if (mutex ? !hasOrder(lock) : crowded(lock) || pairOutOfOrder(lock)) {
                broken.add("order");
            }
            if (idle(lock)) {
                broken.add("idle-lock");
            }
            for (Section one : lock.sections) {
                alone(one, broken);
                for (Section other : lock.sections) {
                    if (lock.has(Lock.STRICT) && overtakes(one, other)) {
                        broken.add("overtaken");
                    }
                    if (toldLate(lock, one, other)) {
                        broken.add("told-late");
                    }
                }
            }
        }
        if (isStale(run.accepted()) || isStale(run.fenced())) {
            broken.add("stale-write");
        }
        return broken;
    }

    private static boolean isStale(List<Run.Write> writes) {
        return writes.stream()
                .anyMatch(one -> writes.stream()
                        .anyMatch(other -> one.end() < other.begin()
                                && one.lock().equals(other.lock())
                                && one.token() > other.token()));
    }

    /** Whether there is an order in which all could have had the mutex one after another, with growing tokens. */
    private static boolean hasOrder(Run.LockUse lock) {
        return hasOrder(lock.sections.stream().filter(Section::isGranted).toList(), Long.MIN_VALUE, Section.NO_TOKEN);
    }

    private static boolean hasOrder(List<Section> rest, long free, long token) {
        if (rest.isEmpty()) {
            return true;
        }
        for (Section next : rest) {
            long acquired = Math.max(free, next.request);
            if (next.token <= token || acquired > next.granted) {
                continue;
            }
            List<Section> others = new ArrayList<>(rest);
            others.remove(next);
            if (hasOrder(others, next.hasCore() ? Math.max(acquired, next.heldUntil()) : acquired, next.token)) {
                return true;
            }
        }
        return false;
    }

    private static boolean crowded(Run.LockUse lock) {
        for (Section now : lock.sections) {
            long permits = 0;
            for (Section other : lock.sections) {
                boolean before =
                        other.granted < now.granted || (other.granted == now.granted && now.granted < now.heldUntil());
                boolean there = other == now || (before && now.granted < other.heldUntil());
                permits += now.hasCore() && other.hasCore() && there ? other.permits : 0;
            }
            if (permits > lock.permits) {
                return true;
            }
        }
        return false;
    }

    private boolean pairOutOfOrder(Run.LockUse lock) {
        for (Section one : lock.sections) {
            for (Section other : lock.sections) {
                boolean counts = one != other && one.isGranted() && other.isGranted();
                boolean all = lock.isExclusive(one) && lock.isExclusive(other);
                boolean any = lock.isExclusive(one) || lock.isExclusive(other);
                if (!counts) {
                    continue;
                }
                if (one.token == other.token && (all || !lock.has(Lock.SHARED_TOKENS))) {
                    return true;
                }
                boolean before = one.granted < other.request
                        || (lock.isExclusive(other)
                                && other.hasCore()
                                && one.granted < other.heldUntil()
                                && !forgetful(one.granted)
                                && !overlap(one, other));
                if (before && one.token > other.token && (any || !lock.has(Lock.SHARED_TOKENS))) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean overlap(Section one, Section other) {
        return one.hasCore() && other.hasCore() && one.granted < other.heldUntil() && other.granted < one.heldUntil();
    }

    private boolean idle(Run.LockUse lock) {
        TreeSet<Long> times = new TreeSet<>();
        for (Section section : lock.sections) {
            times.addAll(List.of(
                    section.request,
                    Math.min(section.waitedUntil(), run.gone(section.process)),
                    section.granted,
                    Math.min(section.released, run.gone(section.process))));
            trouble.of(section.process).list().forEach(span -> times.addAll(List.of(span.from(), span.to())));
        }
        trouble.ofEverybody().list().forEach(span -> times.addAll(List.of(span.from(), span.to())));
        long since = Section.NEVER;
        for (Long time : times) {
            if (!isIdle(lock, time)) {
                since = Section.NEVER;
            }
            Long next = times.higher(time);
            if (next == null || !isIdle(lock, time + (next - time) / 2)) {
                since = Section.NEVER;
                continue;
            }
            since = Math.min(since, time);
            if (next - since - 2 * delay(since, next) > run.setting(Run.BOUND)) {
                return true;
            }
        }
        return false;
    }

    private boolean isIdle(Run.LockUse lock, long time) {
        if (trouble.ofEverybody().touch(time, time)) {
            return false;
        }
        boolean waits = false;
        for (Section section : lock.sections) {
            long gone = run.gone(section.process);
            if (section.isGranted() && section.granted <= time && time <= Math.min(section.released, gone)) {
                return false;
            }
            waits |= section.timeout != 0
                    && section.request <= time
                    && time <= Math.min(section.waitedUntil(), gone)
                    && !trouble.of(section.process).touch(time, time);
        }
        return waits;
    }

    private boolean overtakes(Section one, Section other) {
        return other.isGranted()
                && one.request > other.request + TimeUnit.MILLISECONDS.toNanos(500)
                && one.granted < other.granted
                && delay(other.request, other.granted) < 5 * HUNDRED_MILLIS / 2
                && !trouble.of(other.process).touch(other.request, other.granted)
                && !trouble.ofEverybody().touch(other.request, other.granted);
    }

    /** The time for which a process stood still. */
    private long delay(int process, long from, long to) {
        long sum = 0;
        for (long time = from; time < to; time += Scenario.UNIT) {
            long middle = time + Scenario.UNIT / 2;
            boolean still = Stream.concat(run.stalls(process).stream(), run.stalls(Run.NOBODY).stream())
                    .anyMatch(stall -> stall.from() <= middle && middle <= stall.to());
            sum += still ? Scenario.UNIT : 0;
        }
        return sum;
    }

    /** The time for which anybody stood still. */
    private long delay(long from, long to) {
        long sum = 0;
        for (long time = from; time < to; time += Scenario.UNIT / 2) {
            long middle = time + Scenario.UNIT / 4;
            boolean still = false;
            for (int process = 0; process < 4; process++) {
                still |= run.stalls(process).stream().anyMatch(stall -> stall.from() <= middle && middle <= stall.to());
            }
            sum += still ? Scenario.UNIT / 2 : 0;
        }
        return sum;
    }

    /** Whether the store has said that it forgets. */
    private boolean forgetful(long time) {
        return run.faults().stream()
                .anyMatch(fault -> fault.forgets
                        && fault.begin <= time
                        && time <= fault.healed + run.setting(Run.SESSION_TIMEOUT));
    }

    /** What can be said of one section alone. */
    private void alone(Section section, Set<String> broken) {
        Spans stops = trouble.stops(section.process);
        Spans troubles = trouble.of(section.process);
        long told = section.told();
        if (section.releasedInTime && section.lost < section.release) {
            broken.add("silent-release");
        }
        long session = run.setting(Run.SESSION_TIMEOUT);
        if (told != Section.NEVER
                && !troubles.touch(section.granted, told)
                && delay(section.process, told - 2 * session, told) < session / 5) {
            broken.add("unprovoked-loss");
        }
        boolean timeOver = section.timeout >= 0 && section.over >= section.request + section.timeout;
        if (!section.failure.isEmpty() && !timeOver && !troubles.touch(section.request, section.over)) {
            broken.add("unprovoked-failure");
        }
        long answered = section.slowestAsked + section.slowest;
        if (section.slowest - 2 * delay(section.process, section.slowestAsked, answered) > 5 * HUNDRED_MILLIS
                && !stops.touch(section.slowestAsked, answered)) {
            broken.add("slow-answer");
        }
        if (section.hasCore() && section.refused <= section.heldUntil() && !forgetful(section.refused)) {
            broken.add("refused-holder");
        }
        long end = section.waitedUntil();
        boolean left = end != Section.NEVER && (!section.isGranted() || section.released != Section.NEVER);
        if (!left && !run.wasKilled(section.process)) {
            broken.add("stuck");
        }
        long timeout = section.timeout < 0 ? Section.NEVER : section.request + section.timeout;
        long due = Math.min(timeout, section.interrupt);
        if (left
                && due != Section.NEVER
                && end - due - 2 * delay(section.process, due, end) > 10 * HUNDRED_MILLIS
                && !stops.touch(section.request, end)) {
            broken.add("late-return");
        }
        boolean mayGiveUp = end >= timeout || (section.timeout < 0 && end >= section.interrupt);
        if (left && section.gaveUp && !mayGiveUp) {
            broken.add("early-return");
        }
        for (Run.FaultSpan fault : run.faults()) {
            boolean slept = FaultKind.stops(fault.kind)
                    && fault.process == section.process
                    && fault.healing - fault.struck > run.setting(Run.SESSION_TIMEOUT);
            if (slept && section.granted < fault.begin && section.heldUntil() > fault.healing) {
                broken.add("blind-after-pause");
            }
        }
    }

    private boolean toldLate(Run.LockUse lock, Section one, Section next) {
        return one.isGranted()
                && next.isGranted()
                && (lock.isExclusive(one) || lock.isExclusive(next))
                && one.token < next.token
                && one.told() != Section.NEVER
                && one.told() - next.granted - delay(one.process, next.granted, one.told()) > HUNDRED_MILLIS
                && !trouble.stops(one.process).touch(one.granted, one.told())
                && !forgetful(next.granted);
    }
}
