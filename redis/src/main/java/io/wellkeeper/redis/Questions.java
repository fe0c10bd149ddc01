package io.wellkeeper.redis;

import io.lettuce.core.api.StatefulConnection;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/** Questions to servers, each by a connection of its own, which is closed when it has been answered. */
final class Questions {

    private final Set<CompletableFuture<?>> underWay = ConcurrentHashMap.newKeySet();

    /**
     * Asks.
     *
     * @param connecting connects to the server
     * @return the answer; fails with {@link io.wellkeeper.LockStoreException}, after {@link RedisServer#CONNECT_TIMEOUT}
     *     for each, the connection and the answer, at the latest
     */
    <C extends StatefulConnection<String, String>, T> CompletableFuture<T> ask(
            RedisServer server,
            Supplier<? extends CompletionStage<C>> connecting,
            Function<C, CompletionStage<T>> question) {
        CompletableFuture<T> result = new CompletableFuture<>();
        CompletableFuture<Boolean> over = new CompletableFuture<>();
        underWay.add(over);
        over.whenComplete((done, never) -> underWay.remove(over));
        Stages.of(connecting).whenComplete((connection, failure) -> {
            if (connection == null) {
                over.complete(true);
                result.completeExceptionally(server.unreachable(failure));
                return;
            }
            CompletableFuture<T> answered = new CompletableFuture<>();
            Stages.of(() -> question.apply(connection)).whenComplete((answer, refusal) -> {
                if (refusal == null) {
                    answered.complete(answer);
                } else {
                    answered.completeExceptionally(refusal);
                }
            });
            answered.orTimeout(RedisServer.CONNECT_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
                    .whenComplete((answer, refusal) -> {
                        connection.closeAsync().whenComplete((closed, never) -> over.complete(true));
                        if (refusal == null) {
                            result.complete(answer);
                        } else {
                            result.completeExceptionally(server.unreachable(refusal));
                        }
                    });
        });
        return result;
    }

    /** When all that were asked so far are over, and their connections closed. */
    CompletableFuture<Void> over() {
        return CompletableFuture.allOf(underWay.toArray(CompletableFuture<?>[]::new));
    }
}
