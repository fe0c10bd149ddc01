package io.wellkeeper.testkit;

import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketInfo;
import io.wellkeeper.spi.TicketRequest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The queues of all names. All fields are guarded by the server's lock. */
final class TicketTable {

    private final Map<String, Line> lines = new TreeMap<>();
    private long tickets;
    private boolean showDeparted;
    private boolean onlyOfEnded;
    private volatile int told; // how many remaining tickets the message about a departure may name at most

    /** The queue of one name. The numbers begin anew when the queue is empty; the tokens never do. */
    private static final class Line {
        final NavigableMap<Long, Slip> living = new TreeMap<>();
        final Map<Watch, Member> watches = new LinkedHashMap<>();
        final Map<Slip, Runnable> arrivals = new LinkedHashMap<>(); // run when another session queues behind the slip

        @Nullable
        Ticket departed; // the ticket that departed last

        final Set<Member> told = new HashSet<>(); // know of that departure: they must not be shown this ticket any more

        long nextNumber;
        long lastToken;
        String notice = "";
        long noticeVersion;
        final Map<Runnable, Member> noticeWatches = new LinkedHashMap<>();

        @Nullable
        Slip find(Ticket ticket) {
            Slip slip = living.get(ticket.number());
            return slip != null && slip.ticket().equals(ticket) ? slip : null;
        }
    }

    void showDeparted() {
        showDeparted = true;
    }

    /** From now on shows the ticket that departed last, but only if its session had ended. */
    void showEnded() {
        showDeparted = true;
        onlyOfEnded = true;
    }

    void hideDeparted() {
        showDeparted = false;
    }

    void tellQueue(int most) {
        told = most;
    }

    boolean tellsQueue() {
        return told > 0;
    }

    private List<Ticket> shown(Line line, Member member) {
        Stream<Ticket> living = line.living.values().stream().map(Slip::ticket);
        Ticket departed = line.departed;
        return departed == null
                        || !showDeparted
                        || line.told.contains(member)
                        || line.living.containsKey(departed.number())
                ? living.toList()
                : Stream.concat(living, Stream.of(departed)).sorted().toList();
    }

    private Line line(String name) {
        return lines.computeIfAbsent(name, unused -> new Line());
    }

    Place take(Member member, String name, TicketRequest request, Instant now) {
        member.checkLiving();
        Line line = line(name);
        Slip slip = member.slips.get(request.id());
        if (slip == null) {
            if (line.living.isEmpty()) {
                line.departed = null; // because the numbers begin anew
            }
            Ticket ticket =
                    new Ticket(line.nextNumber++, "t" + tickets++, member.id, request.mode(), request.permits());
            slip = new Slip(name, ticket, ++line.lastToken, request, now, member);
            put(line, slip);
            announceArrival(line, member);
        }
        long number = slip.ticket().number();
        return new Place(
                slip.ticket(),
                slip.token(),
                shown(line, member).stream()
                        .filter(ticket -> ticket.number() < number)
                        .toList());
    }

    private void announceArrival(Line line, Member newcomer) {
        Iterator<Map.Entry<Slip, Runnable>> waiting = line.arrivals.entrySet().iterator();
        while (waiting.hasNext()) {
            Map.Entry<Slip, Runnable> next = waiting.next();
            Member owner = next.getKey().owner();
            if (owner != newcomer) {
                owner.link.tellNews(next.getValue());
                waiting.remove();
            }
        }
    }

    List<Ticket> tickets(Member member, String name) {
        return shown(line(name), member);
    }

    List<Ticket> living(String name) {
        return line(name).living.values().stream().map(Slip::ticket).toList();
    }

    /** The living tickets of a name, smallest number first. */
    List<Slip> slips(String name) {
        return List.copyOf(line(name).living.values());
    }

    List<TicketInfo> inspect(String name) {
        return line(name).living.values().stream()
                .map(slip -> new TicketInfo(
                        slip.ticket(), slip.request().metadata(), slip.since(), OptionalLong.of(slip.token())))
                .toList();
    }

    List<String> names(String prefix) {
        return lines.entrySet().stream()
                .filter(entry -> !entry.getValue().living.isEmpty())
                .map(Map.Entry::getKey)
                .filter(name -> name.startsWith(prefix))
                .toList();
    }

    /**
     * Removes a ticket and tells its watchers.
     *
     * @param uninformed the sessions that are not told, such as the one that asked for the removal
     */
    boolean remove(String name, Ticket ticket, Collection<Member> uninformed) {
        Line line = line(name);
        Slip slip = line.find(ticket);
        if (slip == null) {
            if (ticket.equals(line.departed)) {
                line.departed = null; // a ticket that was removed on request is not shown any more
            }
            return false;
        }
        line.living.remove(ticket.number());
        slip.owner().slips.remove(slip.request().id());
        line.arrivals.remove(slip);
        if (line.living.isEmpty()) {
            line.nextNumber = 0;
        }
        tellDeparted(line, ticket, uninformed);
        if (onlyOfEnded && !slip.owner().ended) {
            line.departed = null;
        }
        if (line.living.isEmpty() && !line.notice.isEmpty()) {
            pin(line, ""); // as early as the law allows
        }
        return true;
    }

    private void tellDeparted(Line line, Ticket ticket, Collection<Member> uninformed) {
        List<Ticket> left = told == 0 || line.living.size() > told
                ? null
                : line.living.values().stream().map(Slip::ticket).toList();
        line.departed = ticket;
        line.told.clear();
        line.watches.forEach((watch, member) -> {
            if (watch.strike(ticket)) {
                line.told.add(member); // an uninformed one knows too: it has asked for the departure itself
                if (!uninformed.contains(member)) {
                    member.link.tellNews(() -> watch.departed(ticket, left));
                }
            }
        });
        line.watches.keySet().removeIf(watch -> watch.expected().isEmpty());
    }

    Ticket replace(Member member, String name, Ticket old, Mode mode, int permits) {
        Line line = line(name);
        Slip slip = line.find(old);
        if (slip == null) {
            throw new LockStoreException(old + " is gone");
        }
        Ticket milder = new Ticket(old.number(), "t" + tickets++, member.id, mode, permits);
        Slip changed = slip.with(milder, slip.request());
        put(line, changed);
        Runnable arrived = line.arrivals.remove(slip);
        if (arrived != null) {
            line.arrivals.put(changed, arrived);
        }
        tellDeparted(line, old, List.of(member));
        return milder;
    }

    private static void put(Line line, Slip slip) {
        line.living.put(slip.ticket().number(), slip);
        slip.owner().slips.put(slip.request().id(), slip);
    }

    void describe(String name, Ticket mine, String metadata) {
        Line line = line(name);
        Slip slip = line.find(mine);
        if (slip != null) {
            TicketRequest old = slip.request();
            Slip changed = slip.with(slip.ticket(), new TicketRequest(old.id(), old.mode(), old.permits(), metadata));
            put(line, changed);
            Runnable arrived = line.arrivals.remove(slip);
            if (arrived != null) {
                line.arrivals.put(changed, arrived);
            }
        }
    }

    Notice notice(String name) {
        Line line = line(name);
        return new Notice(line.notice, line.noticeVersion);
    }

    boolean post(String name, Notice seen, String text) {
        Line line = line(name);
        if (seen.version() != line.noticeVersion) {
            return false;
        }
        pin(line, text);
        return true;
    }

    private static void pin(Line line, String text) {
        line.notice = text;
        line.noticeVersion++;
        line.noticeWatches.forEach((watch, member) -> member.link.tellNews(watch));
    }

    void watchNotice(Member member, String name, Runnable watch) {
        line(name).noticeWatches.put(watch, member);
    }

    void unwatchNotice(String name, Runnable watch) {
        line(name).noticeWatches.remove(watch);
    }

    void watch(Member member, String name, Watch watch) {
        Line line = line(name);
        line.watches.put(watch, member);
        for (Ticket ticket : List.copyOf(watch.expected())) {
            if (line.find(ticket) == null) {
                watch.strike(ticket);
                if (ticket.equals(line.departed)) {
                    line.told.add(member);
                }
                member.link.tellNews(() -> watch.departed(ticket, null));
            }
        }
        unwatchIfDone(line, watch);
    }

    private void unwatchIfDone(Line line, Watch watch) {
        if (watch.expected().isEmpty()) {
            line.watches.remove(watch);
        }
    }

    void unwatch(String name, Watch watch) {
        line(name).watches.remove(watch);
    }

    boolean alone(String name, Ticket mine, Runnable arrived) {
        Line line = line(name);
        Slip slip = line.find(mine);
        if (slip == null) {
            return false;
        }
        boolean somebody = line.living.tailMap(mine.number(), false).values().stream()
                .anyMatch(other -> other.owner() != slip.owner());
        if (!somebody) {
            line.arrivals.put(slip, arrived);
        }
        return !somebody;
    }

    /** Ends a session: its tickets depart, and its watches are removed. */
    void end(Member member) {
        member.ended = true;
        for (Line line : lines.values()) {
            line.watches.values().removeIf(owner -> owner == member);
            line.noticeWatches.values().removeIf(owner -> owner == member);
        }
        for (Slip slip : List.copyOf(member.slips.values())) {
            remove(slip.name(), slip.ticket(), List.of());
        }
    }

    /** Tells all watchers that all tickets which they watch have departed. The latest watch is told first. */
    void tellDeparted() {
        for (Line line : lines.values()) {
            List<Map.Entry<Watch, Member>> watches = new ArrayList<>(line.watches.entrySet());
            Collections.reverse(watches);
            watches.forEach(entry -> entry.getKey()
                    .expected()
                    .forEach(ticket ->
                            entry.getValue().link.tellNews(() -> entry.getKey().departed(ticket, null))));
        }
    }

    /** Forgets everything but the tokens, which grow for ever, and tells no watcher. */
    void forget() {
        for (Line line : lines.values()) {
            line.living.values().forEach(slip -> slip.owner().slips.clear());
            line.living.clear();
            line.watches.clear();
            line.noticeWatches.clear();
            line.arrivals.clear();
            line.departed = null;
            line.told.clear();
            line.nextNumber = 0;
            line.notice = "";
            line.noticeVersion++;
        }
    }

    /** The living tickets of all names. */
    List<Slip> slips() {
        return lines.values().stream()
                .flatMap(line -> line.living.values().stream())
                .toList();
    }

    /** Puts a ticket of an older state back into its queue, as a ticket of the given session. */
    void restore(Slip old, Member owner) {
        Line line = line(old.name());
        put(line, new Slip(old.name(), old.ticket(), old.token(), old.request(), old.since(), owner));
        line.nextNumber = Math.max(line.nextNumber, old.ticket().number() + 1);
    }

    /** Tells all watchers of the given sessions that something may have changed. */
    void tellChanged(Collection<Member> members) {
        for (Line line : lines.values()) {
            line.watches.forEach((watch, member) -> {
                if (members.contains(member)) {
                    member.link.tellNews(watch::changed);
                }
            });
            line.noticeWatches.forEach((watch, member) -> {
                if (members.contains(member)) {
                    member.link.tellNews(watch);
                }
            });
        }
    }

    List<String> leftovers() {
        List<String> found = new ArrayList<>();
        lines.forEach((name, line) -> {
            line.living.values().forEach(slip -> found.add("ticket of lock '" + name + "': " + slip.ticket()));
            line.watches.forEach((watch, member) ->
                    found.add("watch of " + member.id + " on lock '" + name + "': " + watch.expected()));
            line.noticeWatches
                    .values()
                    .forEach(member -> found.add("watch of " + member.id + " on the notice of '" + name + "'"));
            if (!line.notice.isEmpty()) {
                found.add("notice of '" + name + "': " + line.notice);
            }
        });
        return found;
    }
}
