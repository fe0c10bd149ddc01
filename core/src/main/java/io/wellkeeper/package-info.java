/**
 * Distributed locks: what a program uses. Start at {@link io.wellkeeper.LockClient}.
 *
 * <p><b>Limited waits.</b> A method that the JDK has by the same name has the JDK's parameters and outcome: {@code tryLock} and
 * {@code await} take a {@code long} and a {@link java.util.concurrent.TimeUnit}, and when the time is over a lock, a latch and a
 * condition give false (or throw {@link io.wellkeeper.LockStoreException} if the store does not answer), and a barrier throws {@link java.util.concurrent.TimeoutException}. Every other method takes a
 * {@link java.time.Duration}: {@code tryAcquire} gives an empty {@link java.util.Optional} when it is over, and the future of a
 * method that blocks no thread ends as the method does that blocks; that of a condition has its handle either way. A time of
 * zero or less only asks the store; a condition has released its lock and acquired it again all the same.
 */
@NullMarked
package io.wellkeeper;

import org.jspecify.annotations.NullMarked;
