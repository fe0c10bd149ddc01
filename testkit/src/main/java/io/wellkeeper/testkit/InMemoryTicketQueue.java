package io.wellkeeper.testkit;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.DepartureWatcher;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketInfo;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketRequest;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** One name's queue, as one session sees it. */
final class InMemoryTicketQueue implements TicketQueue {

    private static final Pattern REQUEST_ID = Pattern.compile("[A-Za-z0-9]{1,32}");
    private static final int MAX_METADATA = 16 * 1024;

    private final InMemoryServer server;
    private final Link link;
    private final InMemorySession session;
    private final Member member;
    private final String name;

    InMemoryTicketQueue(InMemoryServer server, Link link, InMemorySession session, String name) {
        this.server = server;
        this.link = link;
        this.session = session;
        this.member = session.member();
        this.name = name;
    }

    @Override
    public CompletionStage<Place> take(TicketRequest request) {
        if (!REQUEST_ID.matcher(request.id()).matches()) {
            throw server.violation("request id '" + request.id() + "' is not 1 to 32 letters and digits");
        }
        if (request.permits() < 1) {
            throw server.violation(request.permits() + " permits are asked for");
        }
        if (request.metadata().getBytes(StandardCharsets.UTF_8).length > MAX_METADATA) {
            throw server.violation("metadata is longer than " + MAX_METADATA + " bytes");
        }
        AtomicBoolean arrived = new AtomicBoolean();
        return link.request(Request.TAKE, () -> {
            if (!arrived.getAndSet(true) && member.slips.containsKey(request.id())) {
                throw server.violation("request id '" + request.id() + "' names a second request");
            }
            return server.tickets().take(member, name, request, server.now());
        });
    }

    @Override
    public CompletionStage<List<Ticket>> tickets() {
        return whileLiving(Request.TICKETS, () -> server.tickets().tickets(name));
    }

    @Override
    public CompletionStage<List<TicketInfo>> inspect() {
        return whileLiving(Request.INSPECT, () -> server.tickets().inspect(name));
    }

    @Override
    public CompletionStage<Boolean> remove(Ticket ticket) {
        return whileLiving(Request.REMOVE, () -> server.tickets().remove(name, ticket, List.of(member)));
    }

    @Override
    public Registration onDeparture(Collection<Ticket> any, DepartureWatcher watcher) {
        if (any.isEmpty()) {
            throw server.violation("a watch of no ticket");
        }
        if (session.isClosed()) {
            throw server.violation("a watch by session " + session.id() + ", which its owner has closed");
        }
        Watch watch = new Watch(any, watcher);
        whileLiving(Request.WATCH, () -> {
            server.tickets().watch(member, name, watch);
            return null;
        });
        return () -> unwatch(watch);
    }

    private void unwatch(Watch watch) {
        if (watch.close()) {
            whileLiving(Request.UNWATCH, () -> {
                server.tickets().unwatch(name, watch);
                return null;
            });
        }
    }

    @Override
    public CompletionStage<Boolean> alone(Ticket mine, Runnable arrived) {
        if (!mine.session().equals(session.id())) {
            throw server.violation("session " + session.id() + " calls " + mine + " its own");
        }
        return whileLiving(Request.ALONE, () -> server.tickets().alone(name, mine, arrived));
    }

    private <T extends @Nullable Object> CompletionStage<T> whileLiving(Request kind, Supplier<T> work) {
        return link.request(kind, () -> {
            member.checkLiving();
            return work.get();
        });
    }

    @Override
    public CompletionStage<Ticket> replace(Ticket mine, Mode mode, int permits) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<Void> describe(Ticket mine, String metadata) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<Notice> notice() {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<Boolean> post(Notice seen, String text) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Registration onNotice(Runnable changed) {
        throw new UnsupportedOperationException();
    }
}
