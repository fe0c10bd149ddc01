package io.wellkeeper.torture;

import io.wellkeeper.torture.Event.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A history made by hand: times are in tenths of a second, a session lives for 5 of them, and the bound is 8. */
final class Scenario {

    static final long UNIT = TimeUnit.MILLISECONDS.toNanos(100);
    static final long SESSION = 5;
    static final long BOUND = 8;

    private final List<Event> events = new ArrayList<>();

    Scenario(Lock... locks) {
        at(0, Kind.SETTING, 0, 0, Run.SESSION_TIMEOUT, SESSION * UNIT, 0);
        at(0, Kind.SETTING, 0, 0, Run.BOUND, BOUND * UNIT, 0);
        for (Lock lock : locks) {
            at(0, Kind.LOCK, 0, 0, lock.name(), lock.permits(), lock.flags());
        }
    }

    Scenario at(long time, Kind kind, int process, long op, String what, long a, long b) {
        events.add(new Event(time * UNIT, kind, process, op, what, a, b));
        return this;
    }

    Scenario request(long time, int process, long op, Lock lock, int permits, long timeout) {
        return at(time, Kind.REQUEST, process, op, lock.name(), permits, timeout < 0 ? -1 : timeout * UNIT);
    }

    Scenario event(long time, Kind kind, int process, long op) {
        return at(time, kind, process, op, "-", 0, 0);
    }

    Scenario event(long time, Kind kind, int process, long op, long a) {
        return at(time, kind, process, op, "-", a, 0);
    }

    /** Somebody asks, is let in at once, holds and releases. */
    Scenario section(long from, long to, int process, long op, Lock lock, long token) {
        request(from, process, op, lock, lock.permits(), -1);
        event(from, Kind.GRANTED, process, op, token);
        event(from, Kind.HELD, process, op, 1);
        event(to, Kind.RELEASE, process, op);
        return event(to, Kind.RELEASED, process, op, 1);
    }

    /** A fault from one time to another. */
    Scenario fault(long from, long to, int process, long id, FaultKind kind) {
        for (Kind step : List.of(Kind.FAULT, Kind.STRUCK)) {
            at(from, step, process, id, kind.word(), 0, 0);
        }
        for (Kind step : List.of(Kind.HEALING, Kind.HEALED)) {
            at(to, step, process, id, kind.word(), 0, 0);
        }
        return this;
    }

    List<Event> events() {
        return events;
    }

    Run run() {
        Run run = new Run();
        events.forEach(run::add);
        run.finish();
        return run;
    }

    /** The rules that are broken. */
    List<String> broken() {
        return Checker.check(run()).violations().stream()
                .map(Violation::rule)
                .distinct()
                .sorted()
                .toList();
    }
}
