package io.wellkeeper.testkit;

import io.wellkeeper.spi.LockNames;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.TicketQueue;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The client's side of a session. */
final class InMemorySession implements Session {

    private final InMemoryServer server;
    private final Link link;
    private final Member member;

    InMemorySession(InMemoryServer server, Link link, Member member) {
        this.server = server;
        this.link = link;
        this.member = member;
    }

    @Override
    public String id() {
        return member.id;
    }

    @Override
    public Duration validity() {
        return member.timeout.multipliedBy(2).dividedBy(3);
    }

    @Override
    public Duration heartbeatInterval() {
        return member.timeout.dividedBy(6);
    }

    @Override
    public CompletionStage<Void> heartbeat() {
        CompletionStage<@Nullable Void> acknowledged = link.request(Request.HEARTBEAT, () -> {
            server.prolong(member);
            return null;
        });
        return acknowledged.thenApply(done -> done);
    }

    @Override
    public TicketQueue queue(String name) {
        return new InMemoryTicketQueue(server, link, member, LockNames.check(name));
    }

    @Override
    public CompletionStage<List<String>> names(String prefix) {
        return link.request(Request.NAMES, () -> {
            member.checkLiving();
            return server.tickets().names(prefix);
        });
    }

    @Override
    public CompletionStage<Void> close() {
        return link.request(Request.CLOSE, () -> {
            server.end(member);
            return null;
        });
    }
}
