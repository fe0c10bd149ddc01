package io.wellkeeper.stress;

import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.DepartureWatcher;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketRequest;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The queue of one name. All fields are guarded by the store's lock. */
final class Line {

    /** Watches one ticket. */
    record Watch(DirectSession by, Ticket ticket, DepartureWatcher watcher) {}

    /** Watches the notice. */
    record NoticeWatch(DirectSession by, Runnable changed) {}

    private final DirectStore store;
    private final TreeMap<Long, Ticket> living = new TreeMap<>();
    private final Map<Ticket, Runnable> arrivals = new HashMap<>(); // run when another session queues behind
    private final List<Watch> watches = new ArrayList<>();
    private final List<NoticeWatch> noticeWatches = new ArrayList<>();
    private Notice notice = new Notice("", 0);
    private long numbers;
    private long ids;

    Line(DirectStore store) {
        this.store = store;
    }

    Place take(DirectSession session, TicketRequest request) {
        long number = ++numbers;
        Ticket ticket = new Ticket(number, "t" + ids++, session.id(), request.mode(), request.permits());
        Place place = new Place(ticket, number, store.isBlind() ? List.of() : tickets());
        living.put(number, ticket);
        arrivals.entrySet().removeIf(waiting -> {
            boolean other = !waiting.getKey().session().equals(session.id());
            if (other) {
                store.tell(waiting.getValue());
            }
            return other;
        });
        return place;
    }

    List<Ticket> tickets() {
        return List.copyOf(living.values());
    }

    private boolean has(Ticket ticket) {
        return ticket.equals(living.get(ticket.number()));
    }

    /** @param by the session that removes the ticket, and is not told of it */
    boolean remove(Ticket ticket, @Nullable DirectSession by) {
        if (!has(ticket)) {
            return false;
        }
        living.remove(ticket.number());
        arrivals.remove(ticket);
        tellDeparted(ticket, by);
        if (living.isEmpty() && !notice.text().isEmpty()) {
            pin("");
        }
        return true;
    }

    boolean removeFirst() {
        return !living.isEmpty() && remove(living.firstEntry().getValue(), null);
    }

    private void tellDeparted(Ticket ticket, @Nullable DirectSession by) {
        watches.removeIf(watch -> {
            boolean struck = watch.ticket().equals(ticket);
            if (struck && watch.by() != by) {
                store.tell(() -> watch.watcher().departed(ticket));
            }
            return struck;
        });
    }

    List<Watch> watch(DirectSession session, Collection<Ticket> any, DepartureWatcher watcher) {
        List<Watch> armed = new ArrayList<>();
        for (Ticket ticket : any) {
            if (has(ticket)) {
                armed.add(new Watch(session, ticket, watcher));
            } else {
                store.tell(() -> watcher.departed(ticket));
            }
        }
        watches.addAll(armed);
        return armed;
    }

    void unwatch(List<Watch> armed) {
        watches.removeIf(watch -> armed.stream().anyMatch(one -> one == watch));
    }

    boolean alone(Ticket mine, Runnable arrived) {
        boolean alone = has(mine)
                && living.tailMap(mine.number()).values().stream()
                        .allMatch(other -> other.session().equals(mine.session()));
        if (alone) {
            arrivals.put(mine, arrived);
        }
        return alone;
    }

    Ticket replace(DirectSession session, Ticket mine, Mode mode, int permits) {
        if (!has(mine)) {
            throw new LockStoreException(mine + " is gone");
        }
        Ticket milder = new Ticket(mine.number(), "t" + ids++, session.id(), mode, permits);
        living.put(mine.number(), milder);
        Runnable arrived = arrivals.remove(mine);
        if (arrived != null) {
            arrivals.put(milder, arrived);
        }
        tellDeparted(mine, session);
        return milder;
    }

    Notice notice() {
        return notice;
    }

    boolean post(Notice seen, String text) {
        boolean same = seen.version() == notice.version();
        if (same) {
            pin(text);
        }
        return same;
    }

    private void pin(String text) {
        notice = new Notice(text, notice.version() + 1);
        noticeWatches.forEach(watch -> store.tell(watch.changed()));
    }

    void watchNotice(NoticeWatch watch) {
        noticeWatches.add(watch);
    }

    void unwatchNotice(NoticeWatch watch) {
        noticeWatches.removeIf(one -> one == watch);
    }

    void end(DirectSession session) {
        watches.removeIf(watch -> watch.by() == session);
        noticeWatches.removeIf(watch -> watch.by() == session);
        for (Ticket ticket : tickets()) {
            if (ticket.session().equals(session.id())) {
                remove(ticket, session);
            }
        }
    }

    int size() {
        return living.size() + watches.size() + noticeWatches.size();
    }
}
