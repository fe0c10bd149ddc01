package io.wellkeeper.cli.demo;

import io.wellkeeper.LockClient;
import io.wellkeeper.LockStatus;
import io.wellkeeper.cli.ExitCode;
import io.wellkeeper.cli.Failure;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * What the acts need.
 *
 * @param shops all shops; some may be dead
 * @param warehouse the database that the shops share
 * @param client a client to look at the queue
 * @param lock the lock's name
 * @param progress reports to the user
 */
record Stage(List<ShopProcess> shops, Warehouse warehouse, LockClient client, String lock, Progress progress) {

    private static final Duration LOOK_AGAIN = Duration.ofMillis(50);
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    Duration sessionTimeout() {
        return client.options().sessionTimeout();
    }

    /** Waits until a shop holds the lock and so many shops wait for it. */
    void awaitQueue(int waiters) throws InterruptedException {
        long start = System.nanoTime();
        LockStatus status = client.admin().inspect(lock);
        while (status.waiters().size() != waiters) {
            if (System.nanoTime() - start > PATIENCE.toNanos()) {
                throw new Failure(
                        ExitCode.EXPECTATION_FAILED,
                        "expected " + waiters + " to wait, but there are "
                                + status.waiters().size());
            }
            TimeUnit.NANOSECONDS.sleep(LOOK_AGAIN.toNanos());
            status = client.admin().inspect(lock);
        }
    }

    /** Waits for the answer of a shop that waits for the lock, and meanwhile shows the user for how long. */
    String awaitAnswer(ShopProcess shop, String waitingFor) throws InterruptedException {
        long start = System.nanoTime();
        Optional<String> answer = shop.answerWithin(LOOK_AGAIN);
        while (answer.isEmpty()
                && System.nanoTime() - start
                        < PATIENCE.plus(sessionTimeout().multipliedBy(2)).toNanos()) {
            progress.show("   " + waitingFor + " ... " + seconds(Duration.ofNanos(System.nanoTime() - start)));
            answer = shop.answerWithin(LOOK_AGAIN);
        }
        progress.clear();
        return answer.orElseThrow(() -> new Failure(ExitCode.EXPECTATION_FAILED, "gave up " + waitingFor));
    }

    static String seconds(Duration time) {
        return String.format(Locale.ROOT, "%.1fs", time.toMillis() / 1000.0);
    }
}
