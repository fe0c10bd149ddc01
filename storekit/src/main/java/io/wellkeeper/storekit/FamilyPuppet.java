package io.wellkeeper.storekit;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LeaderElection;
import io.wellkeeper.LockClient;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.Condition;

/** A process that acquires a primitive as its arguments say, reports that, and stays. */
final class FamilyPuppet {

    private FamilyPuppet() {}

    /**
     * Connects, acquires, prints {@code in}, and stays until it is killed.
     *
     * @param arguments the URI of a store, a name, the session timeout, and what to hold
     * @throws InterruptedException never, because the thread is not interrupted
     */
    public static void main(String[] arguments) throws InterruptedException {
        LockClient client = LockClient.connect(
                arguments[0],
                ClientOptions.builder()
                        .sessionTimeout(Duration.parse(arguments[2]))
                        .storeTimeout(Await.patience()) // a process that has just been started is slow
                        .build());
        String name = arguments[1];
        switch (arguments[3]) {
            case "read" -> hold(client.readWriteLock(name).readLock());
            case "write" -> hold(client.readWriteLock(name).writeLock());
            case "permits" -> client.semaphore(name, 2).acquire(2);
            case "all" -> client.all(name + "/a", name + "/b").lock();
            case "lead" -> lead(client, name);
            case "await" -> await(client.lock(name));
            default -> throw new IllegalArgumentException(arguments[3]);
        }
        say("in");
        new CountDownLatch(1).await();
    }

    private static void hold(DistributedLock lock) {
        lock.lock();
        lock.onLost(() -> say("lost"));
    }

    private static void lead(LockClient client, String name) throws InterruptedException {
        CountDownLatch elected = new CountDownLatch(1);
        client.election(name, new LeaderElection.Listener() {
                    @Override
                    public void elected(long fencingToken) {
                        elected.countDown();
                    }

                    @Override
                    public void deposed(String reason) {
                        say("deposed");
                    }
                })
                .campaign();
        elected.await();
    }

    private static void await(DistributedLock lock) throws InterruptedException {
        Condition signalled = lock.newCondition("signalled");
        lock.lock();
        try {
            say("waiting");
            signalled.await();
        } finally {
            lock.unlock();
        }
    }

    private static void say(String line) {
        System.out.println(line);
    }
}
