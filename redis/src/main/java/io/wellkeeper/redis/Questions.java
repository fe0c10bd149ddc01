package io.wellkeeper.redis;

import io.lettuce.core.api.StatefulConnection;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.Time;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Questions to servers. Each question has a connection of its own, which is closed when the question has been answered.
 */
final class Questions {

    private final Openings openings = new Openings();

    /**
     * Asks a server a question.
     *
     * @param connecting connects to the server
     * @return the answer; fails with {@link LockStoreException}, after {@link RedisServer#CONNECT_TIMEOUT}
     *     for each, the connection and the answer, at the latest
     */
    <C extends StatefulConnection<String, String>, T> CompletableFuture<T> ask(
            RedisServer server,
            Supplier<? extends CompletionStage<C>> connecting,
            Function<C, CompletionStage<T>> question) {
        CompletableFuture<T> result = new CompletableFuture<>();
        CompletableFuture<Boolean> over = new CompletableFuture<>();
        if (!openings.begin(over, server.address())) {
            over.whenComplete((never, closed) -> result.completeExceptionally(closed));
            return result;
        }
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
            Time.limit(answered, RedisServer.CONNECT_TIMEOUT).whenComplete((answer, refusal) -> {
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

    /** From now on no question is asked; completes when all questions are over, and their connections closed. */
    CompletableFuture<Void> close() {
        return openings.close();
    }
}
