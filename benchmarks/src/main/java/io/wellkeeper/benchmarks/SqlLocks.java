package io.wellkeeper.benchmarks;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockClient;
import io.wellkeeper.jdbc.LeaseTableStore;
import io.wellkeeper.jdbc.SqlTicketStore;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.jspecify.annotations.Nullable;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

/** Locks in a database, ours and those of the peers. All use the same kind of connection pool, one for each process. */
final class SqlLocks implements Locks {

    static {
        // so no connection is made while requests are counted
        System.setProperty("com.zaxxer.hikari.blockUntilFilled", "true");
    }

    private static final Duration POOL_TIMEOUT = Duration.ofSeconds(30);

    private final HikariDataSource pool;
    private final Function<String, CycleLock> locks;
    private final Runnable closing;

    private SqlLocks(HikariDataSource pool, Function<String, CycleLock> locks, Runnable closing) {
        this.pool = pool;
        this.locks = locks;
        this.closing = closing;
    }

    static Locks open(Store store, Contestant contestant, String uri) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(uri);
        config.setInitializationFailTimeout(POOL_TIMEOUT.toMillis()); // how long to wait until the pool is full
        HikariDataSource pool = new HikariDataSource(config);
        return switch (contestant) {
            case REGISTRY -> registry(pool);
            case SHED_LOCK -> shedLock(pool, store.sessionTimeout());
            case LEASE_TABLE -> {
                LeaseTableStore table = LeaseTableStore.over(pool);
                LeaseClient client = LeaseClient.over(table, WellkeeperLocks.options(store, contestant));
                yield new SqlLocks(pool, name -> cycle(client.lock(name)), () -> {
                    client.close();
                    table.close();
                });
            }
            default -> {
                SqlTicketStore tables = SqlTicketStore.over(pool);
                LockClient client = LockClient.over(tables, WellkeeperLocks.options(store, contestant));
                yield new SqlLocks(pool, name -> cycle(client.lock(name)), () -> {
                    client.close();
                    tables.close();
                });
            }
        };
    }

    private static CycleLock cycle(DistributedLock lock) {
        return new WellkeeperLocks.Cycle(lock, Scoreboard.WHOLE);
    }

    /** A lock registry of Spring Integration with all its defaults. */
    private static SqlLocks registry(HikariDataSource pool) {
        DefaultLockRepository repository = new DefaultLockRepository(pool);
        repository.setTransactionManager(new DataSourceTransactionManager(pool));
        repository.afterPropertiesSet();
        repository.afterSingletonsInstantiated();
        JdbcLockRegistry registry = new JdbcLockRegistry(repository);
        return new SqlLocks(pool, name -> new Registered(registry.obtain(name)), () -> {});
    }

    /** ShedLock with the clock of the database, as its documentation advises. */
    private static SqlLocks shedLock(HikariDataSource pool, Duration lockAtMostFor) {
        LockProvider provider = new JdbcTemplateLockProvider(JdbcTemplateLockProvider.Configuration.builder()
                .withJdbcTemplate(new JdbcTemplate(pool))
                .usingDbTime()
                .build());
        return new SqlLocks(pool, name -> new Shed(provider, name, lockAtMostFor), () -> {});
    }

    @Override
    public CycleLock lock(String name) {
        return locks.apply(name);
    }

    @Override
    public void close() {
        closing.run();
        pool.close();
    }

    private record Registered(Lock lock) implements CycleLock {

        @Override
        public void acquire() {
            lock.lock();
        }

        @Override
        public void release() {
            lock.unlock();
        }
    }

    /** A lock of ShedLock. It never waits, so it fails if there is another holder. */
    private static final class Shed implements CycleLock {

        private final LockProvider provider;
        private final String name;
        private final Duration lockAtMostFor;
        private @Nullable SimpleLock held;

        Shed(LockProvider provider, String name, Duration lockAtMostFor) {
            this.provider = provider;
            this.name = name;
            this.lockAtMostFor = lockAtMostFor;
        }

        @Override
        public void acquire() {
            held = provider.lock(new LockConfiguration(Instant.now(), name, lockAtMostFor, Duration.ZERO))
                    .orElseThrow();
        }

        @Override
        public void release() {
            Objects.requireNonNull(held).unlock();
        }
    }
}
