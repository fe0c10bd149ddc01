package io.wellkeeper.jdbc;

import io.wellkeeper.LockStoreException;
import io.wellkeeper.Registration;
import io.wellkeeper.spi.DepartureWatcher;
import io.wellkeeper.spi.LockNames;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketInfo;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketRequest;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A queue is the rows of one name; every request is one round trip. */
final class SqlQueue implements TicketQueue {

    private final SqlSession session;
    private final String name;
    private volatile @Nullable CompletableFuture<?> taking; // the last request of this object for a ticket

    SqlQueue(SqlSession session, String name) {
        this.session = session;
        this.name = LockNames.check(name);
    }

    @Override
    public CompletionStage<Place> take(TicketRequest request) {
        session.notices().outdate(name);
        CompletionStage<Place> place = session.take(name, request);
        taking = place.toCompletableFuture();
        return place;
    }

    @Override
    public CompletionStage<List<Ticket>> tickets() {
        session.notices().outdate(name);
        return session.departures()
                .told(name)
                .<CompletionStage<List<Ticket>>>map(CompletableFuture::completedFuture)
                .orElseGet(() -> Stages.map(session.run(Step.TICKETS, Map.of("name", name)), TicketIds::tickets));
    }

    @Override
    public boolean tellsQueue() {
        return true;
    }

    /** A ticket's number is the time when the number was drawn, unless the clock was set back. */
    @Override
    public CompletionStage<List<TicketInfo>> inspect() {
        return Stages.map(
                session.run(Step.INSPECT, Map.of("name", name)),
                rows -> rows.stream()
                        .map(row -> {
                            Ticket ticket = TicketIds.ticket(row);
                            Instant since = Instant.EPOCH.plus(ticket.number(), ChronoUnit.MICROS);
                            return new TicketInfo(ticket, (String) row[6], since, OptionalLong.of(ticket.number()));
                        })
                        .toList());
    }

    @Override
    public CompletionStage<Boolean> remove(Ticket ticket) {
        return session.remove(name, ticket);
    }

    @Override
    public Registration onDeparture(Collection<Ticket> any, DepartureWatcher watcher) {
        return session.departures().watch(name, any, watcher);
    }

    @Override
    public CompletionStage<Boolean> alone(Ticket mine, Runnable arrived) {
        return session.alone(name, mine, arrived);
    }

    @Override
    public CompletionStage<Ticket> replace(Ticket mine, Mode mode, int permits) {
        return session.replace(name, mine, mode, permits);
    }

    @Override
    public CompletionStage<Void> describe(Ticket mine, String metadata) {
        Map<String, Object> parameters = TicketIds.parameters(name, mine);
        parameters.put("metadata", metadata);
        return Stages.then(session.run(Step.DESCRIBE, parameters), done -> {});
    }

    @Override
    public CompletionStage<Notice> notice() {
        return session.notices()
                .told(name)
                .<CompletionStage<Notice>>map(CompletableFuture::completedFuture)
                .orElseGet(() -> session.readNotice(isTaking() ? Step.NOTICE_OF_TICKET : Step.NOTICE, name));
    }

    private boolean isTaking() {
        CompletableFuture<?> last = taking;
        return last != null && !last.isDone();
    }

    @Override
    public CompletionStage<Boolean> post(Notice seen, String text) {
        Map<String, Object> parameters = new HashMap<>();
        parameters.put("name", name);
        parameters.put("seen", seen.version());
        parameters.put("text", text);
        parameters.put("length", text.codePointCount(0, text.length())); // a database may count bytes
        parameters.put("post", UUID.randomUUID().toString());
        int before = session.connections();
        return Stages.map(session.run(Step.POST, parameters), rows -> {
            boolean done = SqlSession.isOne(rows, 0);
            if (!done && session.connections() != before) { // it may have been put up, and the answer got lost
                throw new LockStoreException(
                        "the connection was lost, and another notice stands: nobody knows whether this"
                                + " one was put up");
            }
            if (done) { // this client's watchers hear of the notice before the caller that has put it up goes on
                session.notices().changed(name, new Notice(text, (Long) rows.get(0)[1]));
            }
            return done;
        });
    }

    @Override
    public Registration onNotice(Runnable changed) {
        return session.notices().watch(name, changed);
    }
}
