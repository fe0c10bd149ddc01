package io.wellkeeper.stress;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.DepartureWatcher;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketInfo;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketRequest;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** The client's side of the {@link Line} of one name, for one session. */
final class DirectQueue implements TicketQueue {

    private final DirectSession session;
    private final String name;

    DirectQueue(DirectSession session, String name) {
        this.session = session;
        this.name = name;
    }

    private Line line() {
        return session.line(name);
    }

    @Override
    public CompletionStage<Place> take(TicketRequest request) {
        return session.ask(() -> line().take(session, request));
    }

    @Override
    public CompletionStage<List<Ticket>> tickets() {
        return session.ask(() -> line().tickets());
    }

    @Override
    public CompletionStage<List<TicketInfo>> inspect() {
        throw new UnsupportedOperationException("inspect");
    }

    @Override
    public CompletionStage<Boolean> remove(Ticket ticket) {
        return session.ask(() -> line().remove(ticket, session));
    }

    @Override
    public Registration onDeparture(Collection<Ticket> any, DepartureWatcher watcher) {
        List<Line.Watch> armed = new ArrayList<>(); // guarded by the store's lock
        session.ask(() -> armed.addAll(line().watch(session, any, watcher)));
        return () -> session.done(() -> line().unwatch(armed));
    }

    @Override
    public CompletionStage<Boolean> alone(Ticket mine, Runnable arrived) {
        return session.ask(() -> line().alone(mine, arrived));
    }

    @Override
    public CompletionStage<Ticket> replace(Ticket mine, Mode mode, int permits) {
        return session.ask(() -> line().replace(session, mine, mode, permits));
    }

    /** Does nothing, because {@link #inspect()} is not possible here. */
    @Override
    public CompletionStage<Void> describe(Ticket mine, String metadata) {
        return session.done(() -> {});
    }

    @Override
    public CompletionStage<Notice> notice() {
        return session.notice(name);
    }

    @Override
    public CompletionStage<Boolean> post(Notice seen, String text) {
        return session.ask(() -> line().post(seen, text));
    }

    @Override
    public Registration onNotice(Runnable changed) {
        Line.NoticeWatch watch = new Line.NoticeWatch(session, changed);
        session.done(() -> line().watchNotice(watch));
        return () -> session.done(() -> line().unwatchNotice(watch));
    }
}
