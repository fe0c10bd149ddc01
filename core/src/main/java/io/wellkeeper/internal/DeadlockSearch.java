package io.wellkeeper.internal;

import io.wellkeeper.Deadlock;
import io.wellkeeper.Participant;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketInfo;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The graph of threads that wait for threads, over all names and processes, and the circles in it. A thread waits for
 * every thread that has a ticket which keeps it out. A circle is found as the shortest way from a thread back to
 * itself.
 *
 * <p>The queues are read at different moments, and threads move on meanwhile, so the parts of an apparent circle may
 * never have existed at the same time. Besides, a ticket that passes from thread to thread names its threads as of the
 * last heartbeat. So the queues of a possible circle are read once more, after all queues have been read and all
 * tickets have been described anew. A thread that waits for another by the same two tickets in both looks did so at
 * every moment between them; and a circle that exists at one moment remains one.
 */
final class DeadlockSearch {

    /**
     * A thread.
     *
     * @param process tells the process in which it runs from every other
     */
    private record Node(String process, long thread) {}

    /**
     * A ticket and the threads behind it.
     *
     * @param inside whether the ticket is in
     * @param waiting the threads that wait until the ticket is in, or until the threads inside hand it over
     * @param keepingOut the threads for which every thread waits that this ticket keeps out
     */
    private record Slip(Ticket ticket, boolean inside, Set<Node> waiting, Set<Node> keepingOut) {

        Slip only(Set<Node> some) {
            return new Slip(ticket, inside, common(waiting, some), common(keepingOut, some));
        }

        private static Set<Node> common(Set<Node> all, Set<Node> some) {
            Set<Node> common = new LinkedHashSet<>(all);
            common.retainAll(some);
            return common;
        }
    }

    /** One thread waits for another, in the queue of this name, because one ticket keeps out the other. */
    private record Edge(Node from, Node to, String name, Ticket waiter, Ticket holder) {}

    private final Map<Node, List<Edge>> edges = new LinkedHashMap<>();
    private final Map<Node, Participant> who = new HashMap<>();

    private DeadlockSearch() {}

    /**
     * The circles that two looks at the queues have shown.
     *
     * @param queues the result of the first look
     * @param again looks once more at the queues of these names, after every client has had time for a heartbeat
     */
    static List<Deadlock> among(
            Map<String, Snapshot> queues, Function<Collection<String>, Map<String, Snapshot>> again) {
        DeadlockSearch search = of(queues);
        if (search.circles().isEmpty()) {
            return List.of();
        }
        search.keep(of(again.apply(search.names())).allEdges());
        return search.circles();
    }

    private static DeadlockSearch of(Map<String, Snapshot> queues) {
        DeadlockSearch search = new DeadlockSearch();
        Map<String, List<Slip>> lines = new LinkedHashMap<>();
        queues.forEach((name, seen) -> {
            if (seen.size().isEmpty()) { // a waiter for one of many permits does not wait for each holder of one
                lines.put(name, search.line(seen));
            }
        });
        Set<Node> busy = inSeveral(lines.values());
        lines.forEach((name, line) -> search.add(name, line, busy));
        return search;
    }

    /**
     * The threads that are in more than one queue. Other threads can be left out where there are no readers: a thread
     * that such a thread keeps out is also kept out by all the threads that keep that one out.
     */
    private static Set<Node> inSeveral(Collection<List<Slip>> lines) {
        Set<Node> once = new HashSet<>();
        Set<Node> several = new HashSet<>();
        for (List<Slip> line : lines) {
            Set<Node> here = new HashSet<>();
            line.forEach(slip -> {
                here.addAll(slip.waiting);
                here.addAll(slip.keepingOut);
            });
            here.stream().filter(node -> !once.add(node)).forEach(several::add);
        }
        return several;
    }

    private Set<Edge> allEdges() {
        Set<Edge> all = new HashSet<>();
        edges.values().forEach(all::addAll);
        return all;
    }

    /** The queues in which somebody waits. */
    private Set<String> names() {
        return allEdges().stream().map(Edge::name).collect(Collectors.toCollection(TreeSet::new));
    }

    private void keep(Set<Edge> confirmed) {
        edges.values().forEach(some -> some.retainAll(confirmed));
    }

    /** The holders first, then the waiters. Holders keep out the waiters, and waiters keep out those behind them. */
    private List<Slip> line(Snapshot seen) {
        List<Slip> line = new ArrayList<>();
        for (TicketInfo holder : seen.holders()) {
            Metadata.Threads threads = Metadata.threads(holder);
            line.add(
                    new Slip(holder.ticket(), true, nodes(holder, threads.waiting()), nodes(holder, threads.inside())));
        }
        for (TicketInfo waiter : seen.waiters()) {
            Set<Node> standing = nodes(waiter, Metadata.threads(waiter).standing());
            line.add(new Slip(waiter.ticket(), false, standing, standing));
        }
        return line;
    }

    private void add(String name, List<Slip> line, Set<Node> busy) {
        boolean readers = line.stream().anyMatch(slip -> slip.ticket.mode() == Mode.SHARED);
        List<Slip> ahead = new ArrayList<>();
        for (Slip all : line) {
            Slip slip = readers ? all : all.only(busy);
            if (slip.inside) {
                connect(slip, slip, name);
            } else if (!slip.waiting.isEmpty()) {
                ahead.stream()
                        .filter(other -> keepsOut(other.ticket, slip.ticket))
                        .forEach(other -> connect(slip, other, name));
            }
            if (!slip.keepingOut.isEmpty()) {
                ahead.add(slip);
            }
        }
    }

    private static boolean keepsOut(Ticket other, Ticket waiter) {
        return waiter.mode() != Mode.SHARED || other.mode() != Mode.SHARED;
    }

    private void connect(Slip waiter, Slip other, String name) {
        for (Node from : waiter.waiting) {
            List<Edge> some = edges.computeIfAbsent(from, unused -> new ArrayList<>());
            other.keepingOut.forEach(to -> some.add(new Edge(from, to, name, waiter.ticket, other.ticket)));
        }
    }

    private Set<Node> nodes(TicketInfo info, Map<Long, String> threads) {
        Set<Node> nodes = new LinkedHashSet<>();
        threads.forEach((thread, threadName) -> nodes.add(node(info, thread, threadName)));
        return nodes;
    }

    private Node node(TicketInfo info, long thread, String threadName) {
        Participant participant = Metadata.read(info, Instant.now(), threadName);
        boolean known = participant.pid() > 0;
        Node node = new Node(
                known
                        ? participant.host() + ' ' + participant.pid()
                        : info.ticket().session(),
                thread);
        who.putIfAbsent(node, participant);
        return node;
    }

    /**
     * Leaves only threads that wait for a thread that is left and for which such a thread waits: without a circle,
     * none.
     */
    private void leaveCircles() {
        leaveOnly(Edge::to, Edge::from);
        leaveOnly(Edge::from, Edge::to);
    }

    /** Takes out each thread that is not at the other end of any edge, with its edges, until no such thread is left. */
    private void leaveOnly(Function<Edge, Node> end, Function<Edge, Node> otherEnd) {
        Map<Node, List<Edge>> arriving = new HashMap<>();
        Map<Node, Integer> leaving = new HashMap<>();
        for (Edge edge : allEdges()) {
            arriving.computeIfAbsent(end.apply(edge), unused -> new ArrayList<>())
                    .add(edge);
            leaving.merge(otherEnd.apply(edge), 1, Integer::sum);
        }
        Queue<Node> out = new ArrayDeque<>(arriving.keySet());
        out.removeIf(leaving::containsKey);
        Set<Node> gone = new HashSet<>(out);
        while (!out.isEmpty()) {
            for (Edge edge : arriving.getOrDefault(out.remove(), List.of())) {
                Node other = otherEnd.apply(edge);
                if (leaving.merge(other, -1, Integer::sum) == 0 && gone.add(other)) {
                    out.add(other);
                }
            }
        }
        edges.keySet().removeAll(gone);
        edges.values().forEach(some -> some.removeIf(edge -> gone.contains(edge.to)));
    }

    private List<Deadlock> circles() {
        leaveCircles();
        List<Deadlock> found = new ArrayList<>();
        Set<Node> known = new HashSet<>();
        for (Node start : edges.keySet()) {
            List<Edge> circle = known.contains(start) ? List.of() : shortest(start);
            if (!circle.isEmpty()) {
                circle.forEach(edge -> known.add(edge.from()));
                found.add(describe(circle));
            }
        }
        return found;
    }

    /** The shortest way from here back to here; empty if there is none. */
    private List<Edge> shortest(Node start) {
        Map<Node, Edge> reachedBy = new HashMap<>();
        Queue<Node> next = new ArrayDeque<>(List.of(start));
        while (!next.isEmpty()) {
            for (Edge edge : edges.getOrDefault(next.remove(), List.of())) {
                if (reachedBy.putIfAbsent(edge.to(), edge) == null) {
                    if (edge.to().equals(start)) {
                        return wayTo(start, reachedBy);
                    }
                    next.add(edge.to());
                }
            }
        }
        return List.of();
    }

    private static List<Edge> wayTo(Node start, Map<Node, Edge> reachedBy) {
        List<Edge> way = new ArrayList<>();
        @Nullable Edge last = reachedBy.get(start);
        while (last != null) {
            way.add(last);
            last = last.from().equals(start) ? null : reachedBy.get(last.from());
        }
        Collections.reverse(way);
        return way;
    }

    private Deadlock describe(List<Edge> circle) {
        List<Deadlock.Waiting> waiting = new ArrayList<>();
        String holds = circle.get(circle.size() - 1).name();
        for (Edge edge : circle) {
            waiting.add(new Deadlock.Waiting(Objects.requireNonNull(who.get(edge.from())), edge.name(), holds));
            holds = edge.name();
        }
        return new Deadlock(waiting);
    }
}
