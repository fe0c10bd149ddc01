package io.wellkeeper.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.testservers.PostgresProcess;
import java.time.Duration;
import java.util.Properties;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.postgresql.Driver;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionTemplate;

class DataSourceApplicationStoreTest {

    private static SimpleDriverDataSource source(String url, String user, String password) {
        return new SimpleDriverDataSource(new Driver(), url, user, password);
    }

    @Test
    void uri_userAndPassword_areEncoded() {
        assertThat(DataSourceApplicationStore.uri(source("jdbc:postgresql://db:5432/shop", "a b", "p&=?@:/+%")))
                .hasValue("jdbc:postgresql://db:5432/shop?user=a%20b&password=p%26%3D%3F%40%3A%2F%2B%25");
    }

    @Test
    void uri_parametersAndDriverProperties_areKeptAndTheUrlGoesFirst() {
        SimpleDriverDataSource source = source("jdbc:postgresql://db/shop?user=own&sslmode=require", "other", "");
        Properties properties = new Properties();
        properties.setProperty("currentSchema", "s");
        properties.setProperty("sslmode", "disable");
        source.setConnectionProperties(properties);
        assertThat(DataSourceApplicationStore.uri(source))
                .hasValue("jdbc:postgresql://db/shop?user=own&sslmode=require&currentSchema=s");
    }

    @Test
    void uri_driverInBetweenOrUrlThatIsNoneOfOurs_isNotGuessed() {
        assertThat(DataSourceApplicationStore.uri(source("jdbc:tc:postgresql:18:///shop", "u", "p")))
                .isEmpty();
        assertThat(DataSourceApplicationStore.uri(source("jdbc:postgresql://db/shop?flag", "u", "p")))
                .isEmpty();
    }

    /** The application's only connection is in use by its transaction, which is rolled back: the locks have no part in it. */
    @Test
    void client_openTransactionOnAPoolOfOneConnection_isNotConcerned() {
        try (PostgresProcess postgres = PostgresProcess.start()) {
            ApplicationContextRunner application = new ApplicationContextRunner()
                    .withConfiguration(AutoConfigurations.of(
                            WellkeeperAutoConfiguration.class,
                            DataSourceAutoConfiguration.class,
                            DataSourceTransactionManagerAutoConfiguration.class,
                            JdbcTemplateAutoConfiguration.class,
                            TransactionAutoConfiguration.class))
                    .withPropertyValues(
                            "spring.datasource.url=" + postgres.jdbcUrl(),
                            "spring.datasource.hikari.maximum-pool-size=1",
                            "spring.datasource.hikari.connection-timeout=2000");
            application.run(this::locksWithinATransaction);
            application
                    .withBean("proxy", ProxyPostProcessor.class, ProxyPostProcessor::new)
                    .run(this::locksWithinATransaction);
        }
    }

    /** Has the application use its pool through proxies, one of which knows of transactions. */
    static final class ProxyPostProcessor implements BeanPostProcessor {

        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            return bean instanceof DataSource pool
                    ? new TransactionAwareDataSourceProxy(new LazyConnectionDataSourceProxy(pool))
                    : bean;
        }
    }

    private void locksWithinATransaction(ApplicationContext context) {
        LockClient client = context.getBean(LockClient.class);
        JdbcTemplate sql = context.getBean(JdbcTemplate.class);
        sql.execute("CREATE TABLE IF NOT EXISTS orders (id int)");
        LockHandle[] held = new LockHandle[1];
        context.getBean(TransactionTemplate.class).executeWithoutResult(transaction -> {
            sql.update("INSERT INTO orders VALUES (1)");
            try {
                held[0] =
                        client.lock("orders").tryAcquire(Duration.ofSeconds(5)).orElseThrow();
            } catch (InterruptedException interrupted) {
                throw new IllegalStateException(interrupted);
            }
            assertThat(client.admin().inspect("orders").holders()).hasSize(1);
            transaction.setRollbackOnly();
        });
        held[0].checkHeld();
        assertThat(client.admin().inspect("orders").holders())
                .hasSize(1); // the rollback has taken nothing of the store's
        assertThat(sql.queryForObject("SELECT count(*) FROM orders", Integer.class))
                .isZero();
        held[0].close();
        DataSource source = context.getBean(DataSource.class);
        if (source instanceof HikariDataSource pool) {
            assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
        }
    }
}
