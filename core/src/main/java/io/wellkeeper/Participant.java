package io.wellkeeper;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.OptionalLong;

/**
 * A holder or waiter of a lock, as the store shows it. The texts that its process wrote about itself are shown
 * unchanged, and may be empty.
 *
 * <p>The threads of one client share a number: the thread, reason and labels are those of the thread for which the
 * number was taken.
 *
 * @param number its place in the queue: the smaller is served first
 * @param permits how many permits of a semaphore it holds or waits for, without those that it has {@linkplain
 *     Permits#release given back}; 1 for a lock
 * @param clientName as in {@link ClientOptions#clientName()}, or {@code host:pid} if none was given
 * @param host the machine it runs on
 * @param pid its process id there; 0 if unknown
 * @param thread the thread that wants the lock
 * @param reason why it wants the lock
 * @param labels as in {@link LockOptions#labels()}
 * @param since when it took its number
 * @param waited how long ago that is
 * @param fencingToken the smallest fencing token that belongs to its number, which the first holder by that number
 *     gets; each hand-over within its client gives a larger one, by at most 63 in all. Empty where the store does not
 *     show it: in ZooKeeper for a client that got the lock again at once after it had released it, and for a lock that
 *     was downgraded
 */
public record Participant(
        long number,
        int permits,
        String clientName,
        String host,
        long pid,
        String thread,
        String reason,
        Map<String, String> labels,
        Instant since,
        Duration waited,
        OptionalLong fencingToken) {}
