package io.wellkeeper.benchmarks;

import java.util.Locale;
import java.util.stream.Collectors;

/** Tells the readers of the results how they were measured. */
final class Method {

    private static final String ON_ZOOKEEPER = """
                - Servers run in JVMs of their own, keep their data on the disk and force every write to it. All processes
                  of a run share one machine, so nothing here says what a network costs.
                - Requests are what the servers say they have received (`zk_packets_received`), over all cycles of a slot.
                - With three servers, a process is connected to one of them, in turn from round to round, and both sides to the
                  same.
                - Curator has one `CuratorFramework` for each process, and one lock object for each thread unless the row says
                  otherwise.
                - Where several may be in at once, each contestant first runs a slot in which whoever is in stays there for
                  some time, so that one too many would be met; that slot is discarded, too.
                - A cycle of a multi-lock counts only if all its members are held.
                - In a mix, every thread does its reads and its write in turn, each thread beginning at another place.
                - The figures of JMH are medians of %d processes x %d iterations of %d ms.
                """;

    private static final String ON_REDIS = """
                - The server is a process of its own that persists nothing and has no replica. All processes of a run share one
                  machine. "1 ms away" is a proxy on it, in the process that runs the campaign, which holds back whatever
                  comes by 1 ms each way, without keeping what follows waiting.
                - Requests are the commands that clients have sent, not those inside scripts. The server counts both together by
                  name (`INFO commandstats`), so what is added up is what no script here does: EVALSHA and EVAL, SCRIPT LOAD,
                  SUBSCRIBE and UNSUBSCRIBE, PING. Ours send nothing else for a cycle; Redisson sends a DEL with each release,
                  for which it does not wait, and which is not among them because its scripts delete, too.
                - Redisson has one `RedissonClient` for each process, made by `useSingleServer()` with the address and nothing
                  else, so with its default pools, threads and leases of 30 s, and one lock object for each thread: `getLock`
                  is "RLock", `getFairLock` "RFairLock". Ours has one client for each process, with leases of 30 s, too.
                - Processes come in the order in which the server has received their requests, with ours and with RFairLock; an
                  RLock goes to whoever is first when it is free. Redisson's have no fencing tokens.
                - A hand-off begins when one process unlocks what another has waited for since 20 ms before, and ends when lock
                  returns there.
                - What is held is acquired before the counting of requests begins, and released after it has ended; the window is
                  %d ms, and one round.
                """.formatted(Pace.HOLD_MILLIS);

    private static final String IN_TABLES = """
                - The server is a process of its own without a replica. Every commit is forced to the disk %s. All processes of a
                  run share one machine. "1 ms away" is a proxy on it, in the process that runs the campaign, which holds back
                  whatever comes by 1 ms each way, without keeping what follows waiting.
                - Every process has one HikariCP pool with the defaults, 10 connections, whoever's locks it uses, and the same
                  address for the driver. It is filled before anything is measured. Ours takes two connections of it and keeps
                  them.
                - Requests are round trips, counted where the driver sends: one begins with what is sent first after something
                  was received. A cycle of 2.0 is one for lock and one for unlock. The sockets that count are
                  Wellkeeper's `PromptSockets` for all: they change nothing for who does not use LISTEN.
                - JdbcLockRegistry is the one of Spring Integration with its defaults over a DefaultLockRepository with its
                  defaults and a DataSourceTransactionManager: one for each process, rows good for 10 s, and whoever waits looks
                  every 100 ms. Ours has sessions of 10 s, too. JdbcLockRegistry and ShedLock have no fencing
                  tokens.
                - ShedLock never waits, so it takes part only where the lock is free; by the database's clock (`usingDbTime`), and
                  with `lockAtLeastFor` 0. "Lock table" is ours of the same kind (`jdbc-simple:`), the other rows are the fair
                  lock.
                - Where processes wait for each other the window is %d times as long, so that each looks often enough. A wait
                  that has not ended when the window ends does not count, which can only shorten the longest cycle of
                  JdbcLockRegistry.
                - A hand-off begins when one process unlocks what another has waited for, and ends when lock returns there. The
                  other has come 20 to 120 ms before, another time in each cycle and spread evenly, because a JdbcLockRegistry that
                  waits looks every 100 ms.
                """;

    private static final String EVERYWHERE = """
                - Worker processes live through the whole run. Each side has its own, all alike, because no service would use
                  both, and compilers judge by what they have seen. Before anything is measured, those of each side cycle
                  with the locks of its contestants in turn, in slots of %d ms, until their compilers take less than a
                  twentieth of the time, or for %d s at most; and once in turn again when other servers have been started. They
                  compile after a tenth of the usual number of calls (`-XX:CompileThresholdScaling=0.1`). They are then as
                  warm as a service is after some minutes; otherwise most of the clients' CPU would go into the compilers.
                - The contestants of a work take turns: first each in a slot of %d ms that is discarded, then in %d rounds, or %d
                  of the works whose ratios come nearest to their targets (%s), in the
                  order of the tables. A figure is the median of the rounds; a ratio is the median of the ratios of the
                  rounds, above 1 if ours is better: what slows a round down, such as the disk, slows both down.
                - In each slot every thread is at work for %d ms before the window of %d ms begins, at the same instant
                  for all threads of all processes. A cycle counts if it ends within the window. There is no pause between cycles,
                  and nothing is done while the lock is held, but the checks below.
                - A cycle is acquire and release as the caller sees them. Ours does not wait for the server's answer to
                  the release unless the row says "release awaited"; %s's does.
                - Client CPU is what the worker processes took in the window, with all their threads, by cycle.
                - The share of a process is what it got of all cycles, divided by an equal part.
                - Whoever holds a lock takes its share of a word of memory shared by all processes, and the run fails if those
                  who are in have not left so much: a permit is a part, a reader next to nothing, everybody else takes all.
                  Our fencing tokens must grow, those of readers only beyond the writers': every thread shows one in 100 ms,
                  or one in each cycle if the row says "token read". The check costs both sides the same few nanoseconds.
                - A thread begins its next cycle when the last has ended, so a slow cycle also delays the next: p99 says less
                  than it would with arrivals from outside.
                - Where threads, processes and servers together want more cores than there are, a figure says more about CPU time
                  than about waiting.
                - A newcomer is a process that uses the lock in default order and comes 5 ms after its last visit; only its
                  wait counts, and the row says how the process uses the lock that was there before.
                - Ratios of one run are what counts; figures of two machines, or of one under other load, do not compare.
                """;

    private Method() {}

    /** The method as a list in Markdown. */
    static String of(Store store, Pace pace) {
        String there = switch (store) {
            case ZOOKEEPER ->
                String.format(Locale.ROOT, ON_ZOOKEEPER, pace.jmhForks(), pace.jmhIterations(), pace.jmhMillis());
            case REDIS -> ON_REDIS;
            case POSTGRES -> inTables("(`fsync` and `synchronous_commit` are on)");
            case MARIADB -> inTables("(`innodb_flush_log_at_trx_commit=1`; there is no binary log)");
        };
        String everywhere = String.format(
                Locale.ROOT,
                EVERYWHERE,
                pace.warmUpSlotMillis(),
                pace.warmUpMillis() / 1_000,
                pace.coldMillis(),
                pace.rounds(),
                pace.closeRounds(),
                Pace.CLOSE.stream().map(Work::title).collect(Collectors.joining("; ")),
                pace.warmMillis(),
                pace.windowMillis(),
                store.peer());
        return (there + everywhere).stripTrailing();
    }

    private static String inTables(String howForced) {
        return String.format(Locale.ROOT, IN_TABLES, howForced, Pace.POLLED_WINDOWS);
    }
}
