package io.wellkeeper.torture;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.wellkeeper.LockStoreException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.springframework.dao.DataAccessException;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionException;

/**
 * Spring Integration's {@link JdbcLockRegistry}. Its locks are not renewed, because no section is longer than their
 * time to live.
 */
final class SpringPeer implements Locks {

    private final HikariDataSource pool;
    private final JdbcLockRegistry registry;

    SpringPeer(String uri, Duration timeToLive) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(uri);
        config.setInitializationFailTimeout(Locks.STORE_TIMEOUT.toMillis());
        pool = new HikariDataSource(config);
        DefaultLockRepository repository = new DefaultLockRepository(pool);
        repository.setTransactionManager(new DataSourceTransactionManager(pool));
        repository.afterPropertiesSet();
        repository.afterSingletonsInstantiated();
        registry = new JdbcLockRegistry(repository, timeToLive);
    }

    @Override
    public Optional<Grant> acquire(Lock lock, int permits, Optional<Duration> timeout) throws InterruptedException {
        DistributedLock mutex = registry.obtain(lock.name());
        try {
            if (timeout.isEmpty()) {
                mutex.lockInterruptibly();
            } else if (!mutex.tryLock(timeout.get().toNanos(), TimeUnit.NANOSECONDS)) {
                return Optional.empty();
            }
        } catch (DataAccessException | TransactionException failed) {
            throw new LockStoreException("the registry cannot lock " + lock.name(), failed);
        }
        return Optional.of(new PeerGrant(Peer.timeOfTheGrant(), () -> true, () -> {
            mutex.unlock();
            return true;
        }));
    }

    @Override
    public void close() {
        pool.close();
    }
}
