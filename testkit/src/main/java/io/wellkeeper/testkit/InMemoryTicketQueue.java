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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The client's side of one lock's queue, for one session. */
final class InMemoryTicketQueue implements TicketQueue {

    private static final Pattern REQUEST_ID = Pattern.compile("[A-Za-z0-9]{1,32}");
    private static final int MAX_METADATA = 16 * 1024;

    private final InMemoryServer server;
    private final Link link;
    private final Member member;
    private final String name;

    InMemoryTicketQueue(InMemoryServer server, Link link, Member member, String name) {
        this.server = server;
        this.link = link;
        this.member = member;
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
        checkText(request.metadata());
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
        List<Ticket> left = server.toldOf(member, name);
        return left != null
                ? CompletableFuture.completedFuture(left)
                : whileLiving(Request.TICKETS, () -> server.tickets().tickets(member, name));
    }

    @Override
    public boolean tellsQueue() {
        return server.tickets().tellsQueue();
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
        Watch watch = new Watch(any, watcher, (left, word) -> server.telling(member, name, left, word));
        link.request(Request.WATCH, () -> {
            if (!server.answersForgotten()) {
                member.checkLiving();
            }
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
        checkOwn(mine);
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
        checkOwn(mine);
        if (!mine.isReplaceable() || mode.compareTo(mine.mode()) < 0 || permits > mine.permits() || permits < 1) {
            throw server.violation(mine + " is to be replaced by " + mode + " with " + permits + " permits");
        }
        AtomicReference<@Nullable Ticket> done = new AtomicReference<>();
        return whileLiving(Request.REPLACE, () -> {
            Ticket earlier = done.get();
            Ticket milder = earlier != null ? earlier : server.tickets().replace(member, name, mine, mode, permits);
            done.set(milder);
            return milder;
        });
    }

    @Override
    public CompletionStage<Void> describe(Ticket mine, String metadata) {
        checkOwn(mine);
        checkText(metadata);
        CompletionStage<@Nullable Void> written = whileLiving(Request.DESCRIBE, () -> {
            server.tickets().describe(name, mine, metadata);
            return null;
        });
        return written.thenApply(done -> done);
    }

    @Override
    public CompletionStage<Notice> notice() {
        return whileLiving(Request.NOTICE, () -> server.tickets().notice(name));
    }

    @Override
    public CompletionStage<Boolean> post(Notice seen, String text) {
        checkText(text);
        return whileLiving(Request.POST, () -> server.tickets().post(name, seen, text));
    }

    @Override
    public Registration onNotice(Runnable changed) {
        AtomicBoolean closed = new AtomicBoolean();
        Runnable watch = () -> {
            if (!closed.get()) {
                changed.run();
            }
        };
        whileLiving(Request.WATCH, () -> {
            server.tickets().watchNotice(member, name, watch);
            return null;
        });
        return () -> {
            if (closed.compareAndSet(false, true)) {
                whileLiving(Request.UNWATCH, () -> {
                    server.tickets().unwatchNotice(name, watch);
                    return null;
                });
            }
        };
    }

    private void checkOwn(Ticket mine) {
        if (!mine.session().equals(member.id)) {
            throw server.violation("session " + member.id + " calls " + mine + " its own");
        }
    }

    private void checkText(String text) {
        if (text.getBytes(StandardCharsets.UTF_8).length > MAX_METADATA) {
            throw server.violation("text is longer than " + MAX_METADATA + " bytes");
        }
    }
}
