package io.wellkeeper.redis;

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
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A queue is a sorted set of tickets; a hash beside it has the rest. Every request is one script. */
final class RedisQueue implements TicketQueue {

    private final RedisSession session;
    private final String name;
    private volatile boolean isTakeUnsent; // whether the last take by this object still waits for its turn

    RedisQueue(RedisSession session, String name) {
        this.session = session;
        this.name = LockNames.check(name);
    }

    @Override
    public CompletionStage<Place> take(TicketRequest request) {
        session.notices().queueAsked();
        isTakeUnsent = true;
        return session.take(name, request, () -> isTakeUnsent = false);
    }

    @Override
    public CompletionStage<List<Ticket>> tickets() {
        return session.departures()
                .told(name)
                .<CompletionStage<List<Ticket>>>map(CompletableFuture::completedFuture)
                .orElseGet(() -> {
                    session.notices().queueAsked();
                    return Stages.map(session.run(Script.TICKETS, name, List.of()), answer -> {
                        session.checkLiving(answer);
                        return session.tickets((String) answer.get(0));
                    });
                });
    }

    @Override
    public boolean tellsQueue() {
        return true;
    }

    /** A ticket's number is the time when the number was drawn, unless the clock was set back. */
    @Override
    public CompletionStage<List<TicketInfo>> inspect() {
        return Stages.map(session.run(Script.INSPECT, name, List.of()), answer -> {
            session.checkLiving(answer);
            List<TicketInfo> infos = new ArrayList<>();
            for (int i = 1; i < answer.size(); i += 2) {
                String written = (String) answer.get(i + 1);
                TicketIds.read((String) answer.get(i)).ifPresent(ticket -> {
                    Instant since = Instant.EPOCH.plus(ticket.number(), ChronoUnit.MICROS);
                    infos.add(new TicketInfo(ticket, written, since, OptionalLong.of(ticket.number())));
                });
            }
            return infos;
        });
    }

    @Override
    public CompletionStage<Boolean> remove(Ticket ticket) {
        return Stages.map(session.remove(name, ticket), RedisQueue::isOne);
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
        return session.replace(name, mine, TicketIds.parse(TicketIds.next(mine, mode, permits)));
    }

    @Override
    public CompletionStage<Void> describe(Ticket mine, String metadata) {
        return session.describe(name, mine, metadata).thenAccept(done -> {});
    }

    @Override
    public CompletionStage<Notice> notice() {
        Script script = isTakeUnsent ? Script.NOTICE_OF_TICKET : Script.NOTICE;
        return session.notices()
                .told(name)
                .<CompletionStage<Notice>>map(CompletableFuture::completedFuture)
                .orElseGet(() -> Stages.map(
                        session.run(script, name, List.of()),
                        answer -> new Notice((String) answer.get(0), Long.parseLong((String) answer.get(1)))));
    }

    @Override
    public CompletionStage<Boolean> post(Notice seen, String text) {
        List<String> arguments =
                List.of(Long.toString(seen.version()), text, UUID.randomUUID().toString(), session.idle());
        int before = session.wires();
        return Stages.map(session.run(Script.POST, name, arguments), answer -> {
            boolean done = isOne(answer);
            if (!done && session.wires() != before) { // it may have been put up, and the answer lost
                throw new LockStoreException(
                        "the connection was lost, and another notice stands: nobody knows whether this"
                                + " one was put up");
            }
            return done;
        });
    }

    @Override
    public Registration onNotice(Runnable changed) {
        return session.notices().watch(name, changed);
    }

    static boolean isOne(List<Object> answer) {
        return answer.get(0).equals(1L);
    }
}
