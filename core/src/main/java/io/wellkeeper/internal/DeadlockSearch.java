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
 * Who waits for whom, over all names and processes, and the circles in it. A thread waits for every thread that has a
 * ticket which keeps it out; a circle is found as the shortest way from a thread back to itself.
 *
 * <p>The queues are read at different moments, and threads move on meanwhile: a circle of which no two parts existed at the
 * same time would be none. So what may be a circle is read once more when all has been read. A thread that waits for
 * another, by the same two tickets, before and after a moment does so at that moment; and what is a circle at one moment
 * remains one.
 */
final class DeadlockSearch {

    /**
     * A thread.
     *
     * @param process where it runs; whatever tells that it is another
     */
    private record Node(String process, long thread) {}

    /** One thread waits for another, in the queue of this name, because one ticket keeps out the other. */
    private record Edge(Node from, Node to, String name, Ticket waiter, Ticket holder) {}

    private final Map<Node, List<Edge>> edges = new LinkedHashMap<>();
    private final Map<Node, Participant> who = new HashMap<>();

    private DeadlockSearch() {}

    /**
     * The circles in what two looks have shown.
     *
     * @param queues what the first has shown
     * @param again looks once more at the queues of these names
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
        queues.forEach((name, seen) -> {
            if (seen.size()
                    .isEmpty()) { // who waits for one of many permits does not wait for each of those who have one
                search.add(name, seen);
            }
        });
        return search;
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

    private void add(String name, Snapshot seen) {
        List<TicketInfo> ahead = new ArrayList<>(seen.holders());
        for (TicketInfo holder : seen.holders()) {
            Metadata.Threads threads = Metadata.threads(holder);
            connect(holder, threads.waiting(), holder, threads.inside(), name);
        }
        for (TicketInfo waiter : seen.waiters()) {
            Map<Long, String> standing = Metadata.threads(waiter).standing();
            for (TicketInfo other : ahead) {
                if (keepsOut(other.ticket(), waiter.ticket())) {
                    Metadata.Threads threads = Metadata.threads(other);
                    boolean inside = seen.holders().contains(other);
                    connect(waiter, standing, other, inside ? threads.inside() : threads.standing(), name);
                }
            }
            ahead.add(waiter);
        }
    }

    private static boolean keepsOut(Ticket other, Ticket waiter) {
        return waiter.mode() != Mode.SHARED || other.mode() != Mode.SHARED;
    }

    private void connect(
            TicketInfo waiter, Map<Long, String> waiting, TicketInfo holder, Map<Long, String> holding, String name) {
        waiting.forEach((from, fromName) -> holding.forEach((to, toName) -> {
            Node one = node(waiter, from, fromName);
            Node other = node(holder, to, toName);
            edges.computeIfAbsent(one, unused -> new ArrayList<>())
                    .add(new Edge(one, other, name, waiter.ticket(), holder.ticket()));
        }));
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

    private List<Deadlock> circles() {
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
