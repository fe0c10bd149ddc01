package io.wellkeeper.jdbc;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Something done in a thread of its own. */
final class Calls {

    static final String PASSED = "passed";

    private static final int PATIENCE_SECONDS = 60;

    private Calls() {}

    /** What may throw anything. */
    interface Task {
        void run() throws Exception;
    }

    /** Its result is what the task threw, or {@link #PASSED}. */
    static CompletableFuture<Object> start(Task task) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        task.run();
                        return PASSED;
                    } catch (Exception failed) {
                        return failed;
                    }
                },
                thread -> new Thread(thread).start());
    }

    static Object result(CompletableFuture<Object> call)
            throws InterruptedException, ExecutionException, TimeoutException {
        return call.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }
}
