package io.wellkeeper.storekit;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockOptions;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A process that uses one lock as its arguments say: the store, the lock's name, the session timeout, and the part. */
final class Puppet {

    private Puppet() {}

    /**
     * Connects, acquires, prints {@code token} and the fencing token, and plays its part.
     *
     * @param arguments the URI of a store, the lock's name, the session timeout, and the part
     * @throws InterruptedException never, because the thread is not interrupted
     */
    public static void main(String[] arguments) throws InterruptedException {
        LockClient client = LockClient.connect(
                arguments[0],
                ClientOptions.builder()
                        .clientName("the puppet")
                        .sessionTimeout(Duration.parse(arguments[2]))
                        .storeTimeout(Await.patience()) // a process that has just been started is slow
                        .lockDefaults(LockOptions.builder().reason("to be seen").build())
                        .build());
        DistributedLock lock = client.lock(arguments[1]);
        lock.lock();
        lock.onLost(() -> say("onLost"));
        long awake = System.nanoTime();
        say("token " + lock.fencingToken());
        switch (arguments[3]) {
            case "hold" -> new CountDownLatch(1).await();
            case "sleep" -> {
                awaitPause(awake);
                say("isHeld " + lock.isHeldByCurrentThread());
                say("fencingToken " + outcome(lock::fencingToken));
                say("checkHeld " + outcome(lock::checkHeld));
                say("lock " + outcome(lock::lock));
                say("unlock " + outcome(lock::unlock));
                say("unlock again " + outcome(lock::unlock));
                new CountDownLatch(1).await();
            }
            case "exit" -> {
                lock.unlock();
                client.close();
            }
            default -> throw new IllegalArgumentException(arguments[3]);
        }
    }

    /** Returns when this process was stopped for a second, within microseconds after it runs again. */
    private static void awaitPause(long awake) {
        long last = awake;
        while (true) {
            long now = System.nanoTime();
            if (now - last > TimeUnit.SECONDS.toNanos(1)) {
                return;
            }
            last = now;
            Thread.onSpinWait();
        }
    }

    private static String outcome(Runnable call) {
        try {
            call.run();
            return "returned";
        } catch (RuntimeException thrown) {
            return thrown.getClass().getSimpleName();
        }
    }

    private static void say(String line) {
        System.out.println(line);
    }
}
