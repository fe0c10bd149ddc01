package io.wellkeeper.redis;

import io.wellkeeper.LockStoreException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One server, and the connection to it, which is made when it is first needed, and made anew when it was lost. */
final class LeaseNode {

    private static final String CLIENT_NAME = "wellkeeper";
    private static final Duration PAUSE = Duration.ofMillis(100); // after a connection could not be made

    private final RedisServer server;
    private final LeaseConnector connector;
    private final Duration slow;
    private final List<LeaseScript> scripts;
    private final BiConsumer<String, String> messages;
    private final Function<LeaseLink, CompletionStage<?>> greeting;
    private final AtomicReference<@Nullable CompletableFuture<LeaseLink>> current = new AtomicReference<>();
    private volatile long pausedUntil = System.nanoTime();
    private volatile boolean closed;

    /**
     * @param slow as for {@link LeaseLink}
     * @param scripts the scripts that will be needed
     * @param messages given the channel and the text of each message
     * @param greeting what is done with each connection before it is used
     */
    LeaseNode(
            RedisServer server,
            LeaseConnector connector,
            Duration slow,
            List<LeaseScript> scripts,
            BiConsumer<String, String> messages,
            Function<LeaseLink, CompletionStage<?>> greeting) {
        this.server = server;
        this.connector = connector;
        this.slow = slow;
        this.scripts = scripts;
        this.messages = messages;
        this.greeting = greeting;
    }

    String address() {
        return server.address();
    }

    /** As {@link LeaseLink#run}, over the present connection or a new one. */
    CompletableFuture<List<Object>> run(LeaseScript script, List<String> keys, List<String> arguments) {
        return run(script, keys, arguments, () -> {});
    }

    /** As {@link LeaseLink#run(LeaseScript, List, List, Runnable)}, over the present connection or a new one. */
    CompletableFuture<List<Object>> run(LeaseScript script, List<String> keys, List<String> arguments, Runnable sent) {
        CompletableFuture<LeaseLink> link = link();
        if (link.isDone() && !link.isCompletedExceptionally()) {
            return link.join().run(script, keys, arguments, sent);
        }
        return link.thenCompose(made -> made.run(script, keys, arguments, sent));
    }

    /** Whether there is a connection, or one is being made. */
    boolean isLinked() {
        CompletableFuture<LeaseLink> link = current.get();
        return link != null && !unusable(link);
    }

    /** The connection that there is or that is being made; fails if there is none. */
    CompletableFuture<LeaseLink> linkIfAny() {
        CompletableFuture<LeaseLink> link = current.get();
        return link == null || unusable(link)
                ? CompletableFuture.failedFuture(new LockStoreException("not connected to Redis at " + address()))
                : link;
    }

    /** The present connection or a new one; for a while after a connection could not be made, this fails at once. */
    CompletableFuture<LeaseLink> link() {
        while (true) {
            if (closed) {
                return CompletableFuture.failedFuture(
                        new LockStoreException("the store at " + address() + " was closed"));
            }
            CompletableFuture<LeaseLink> there = current.get();
            if (there != null && (!unusable(there) || isPausing(there))) {
                return there;
            }
            CompletableFuture<LeaseLink> opening = new CompletableFuture<>();
            if (current.compareAndSet(there, opening)) {
                open(opening);
                return opening;
            }
        }
    }

    private boolean isPausing(CompletableFuture<LeaseLink> link) {
        return link.isCompletedExceptionally() && pausedUntil - System.nanoTime() > 0;
    }

    private static boolean unusable(CompletableFuture<LeaseLink> link) {
        return link.isDone() && (link.isCompletedExceptionally() || link.join().ended());
    }

    private void open(CompletableFuture<LeaseLink> opening) {
        connector.connect(server.uri(CLIENT_NAME)).whenComplete((connection, failure) -> {
            if (connection == null) {
                pausedUntil = System.nanoTime() + PAUSE.toNanos();
                opening.completeExceptionally(server.unreachable(failure));
                return;
            }
            LeaseLink link = new LeaseLink(address(), connection, slow, scripts, messages);
            Stages.of(() -> greeting.apply(link)).whenComplete((greeted, refused) -> {
                if (refused != null) {
                    pausedUntil = System.nanoTime() + PAUSE.toNanos();
                    opening.completeExceptionally(Stages.unwrap(refused));
                } else {
                    opening.complete(link);
                }
                if (closed || refused != null) {
                    link.end();
                }
            });
        });
    }

    /**
     * Takes no more requests, and ends the connection when the requests under way have been answered.
     *
     * @return completes normally when the connection has ended
     */
    CompletableFuture<Void> close() {
        closed = true;
        return linkIfAny().thenCompose(LeaseLink::finish).handle((ended, failure) -> null);
    }
}
