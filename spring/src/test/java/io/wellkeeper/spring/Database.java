package io.wellkeeper.spring;

import io.wellkeeper.testkit.InMemoryServer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/** A database in memory with one counter, and what its transactions saw of a lock when they ended. */
final class Database {

    private static final AtomicInteger COUNT = new AtomicInteger();

    private final DataSource source =
            new DriverManagerDataSource("jdbc:h2:mem:spring" + COUNT.incrementAndGet() + ";DB_CLOSE_DELAY=-1");
    private final JdbcTemplate jdbc = new JdbcTemplate(source);
    private final InMemoryServer locks;
    private final String lock;
    private final List<String> ends = new CopyOnWriteArrayList<>();

    Database(InMemoryServer locks, String lock) {
        this.locks = locks;
        this.lock = lock;
        jdbc.execute("CREATE TABLE counter (amount INT)");
        jdbc.update("INSERT INTO counter VALUES (0)");
    }

    /** Its transactions; each has a listener that looks whether the lock is held when it is about to end. */
    DataSourceTransactionManager transactions() {
        DataSourceTransactionManager manager = new JdbcTransactionManager(source);
        manager.addListener(new TransactionExecutionListener() {
            @Override
            public void beforeCommit(TransactionExecution transaction) {
                ends.add("commit, " + held());
            }

            @Override
            public void beforeRollback(TransactionExecution transaction) {
                ends.add("rollback, " + held());
            }
        });
        return manager;
    }

    private String held() {
        return locks.queueLength(lock) > 0 ? "held" : "free";
    }

    /** How its transactions have ended. */
    List<String> ends() {
        return List.copyOf(ends);
    }

    int read() {
        Integer amount = jdbc.queryForObject("SELECT amount FROM counter", Integer.class);
        return amount == null ? 0 : amount;
    }

    void write(int amount) {
        jdbc.update("UPDATE counter SET amount = ?", amount);
    }
}
