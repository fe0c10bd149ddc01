package io.wellkeeper.torture;

import io.wellkeeper.torture.Spans.Span;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A free lock soon goes to a waiter, if there is no trouble: {@code idle-lock}. */
final class IdleRule implements Rule {

    /** The time at which a wait, or a reason for a waiter to wait, begins or ends. */
    private record Edge(long time, boolean begins, boolean waiter) {}

    @Override
    public void check(Run run, Trouble trouble, Consumer<Violation> found) {
        long bound = run.setting(Run.BOUND);
        for (Run.LockUse lock : run.locks()) {
            List<Edge> edges = new ArrayList<>();
            for (Span span : trouble.ofEverybody().list()) {
                add(edges, span.from(), span.to(), false);
            }
            for (Section section : lock.sections) {
                waits(run, trouble, section, edges);
                if (section.isGranted()) {
                    long end = Math.min(section.released, run.gone(section.process));
                    add(edges, section.granted, Math.max(end, section.granted), false);
                }
            }
            edges.sort(Comparator.comparingLong(Edge::time).thenComparing(edge -> !edge.begins()));
            sweep(lock, edges, bound, trouble, found);
        }
    }

    private static void waits(Run run, Trouble trouble, Section section, List<Edge> edges) {
        long end = Math.min(section.waitedUntil(), run.gone(section.process));
        if (section.timeout == 0 || end <= section.request) {
            return;
        }
        for (Span span : trouble.of(section.process).gaps(new Span(section.request, end))) {
            add(edges, span.from(), span.to(), true);
        }
    }

    private static void add(List<Edge> edges, long from, long to, boolean waiter) {
        edges.add(new Edge(from, true, waiter));
        edges.add(new Edge(to, false, waiter));
    }

    /** Goes through the edges in order of time, and counts the waiters and the reasons for them to wait. */
    private static void sweep(
            Run.LockUse lock, List<Edge> edges, long bound, Trouble trouble, Consumer<Violation> found) {
        int waiters = 0;
        int reasons = 0;
        long since = Section.NEVER;
        for (Edge edge : edges) {
            if (since != Section.NEVER && edge.time() - since - 2 * trouble.delay(since, edge.time()) > bound) {
                found.accept(new Violation(
                        "idle-lock",
                        since,
                        lock.name,
                        "nobody had it for " + TimeUnit.NANOSECONDS.toMillis(edge.time() - since) + " ms, though "
                                + waiters + " waited and nothing was in the way"));
                since = edge.time(); // the same length again is another violation
            }
            if (edge.waiter()) {
                waiters += edge.begins() ? 1 : -1;
            } else {
                reasons += edge.begins() ? 1 : -1;
            }
            boolean idle = waiters > 0 && reasons == 0;
            if (!idle) {
                since = Section.NEVER;
            } else if (since == Section.NEVER) {
                since = edge.time();
            }
        }
    }
}
