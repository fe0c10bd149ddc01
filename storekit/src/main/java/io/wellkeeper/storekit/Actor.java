package io.wellkeeper.storekit;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** A thread that runs the actions of a test, one after the other. */
final class Actor implements AutoCloseable {

    private final Thread thread;
    private final ExecutorService executor;

    Actor() {
        this("test-actor");
    }

    Actor(String threadName) {
        executor = Executors.newSingleThreadExecutor(task -> {
            Thread made = new Thread(task, threadName);
            made.setDaemon(true);
            return made;
        });
        thread = Await.result(executor.submit(Thread::currentThread));
    }

    interface Action {
        void run() throws Exception;
    }

    <T> Future<T> start(Callable<T> task) {
        return executor.submit(task);
    }

    Future<@Nullable Void> begin(Action action) {
        return executor.submit(() -> {
            action.run();
            return null;
        });
    }

    void run(Action action) {
        Await.result(begin(action));
    }

    <T> T call(Callable<T> task) {
        return Await.result(start(task));
    }

    void interrupt() {
        thread.interrupt();
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
