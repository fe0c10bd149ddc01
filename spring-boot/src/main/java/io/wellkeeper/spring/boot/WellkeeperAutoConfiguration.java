package io.wellkeeper.spring.boot;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LeaderElection;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockListener;
import io.wellkeeper.LockSource;
import io.wellkeeper.jdbc.SqlTicketStore;
import io.wellkeeper.redis.RedisTicketStore;
import io.wellkeeper.spi.TicketStore;
import io.wellkeeper.zookeeper.ZooKeeperTicketStore;
import javax.sql.DataSource;
import org.apache.curator.framework.CuratorFramework;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.env.Environment;

/**
 * Configures a {@link LockClient}, unless the application has one, or a {@link io.wellkeeper.LeaseClient}. Makes sure
 * that the client is closed after its users.
 */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration"
        })
@ConditionalOnBooleanProperty(name = "wellkeeper.enabled", matchIfMissing = true)
@EnableConfigurationProperties(WellkeeperProperties.class)
@ImportRuntimeHints(WellkeeperRuntimeHints.class)
public final class WellkeeperAutoConfiguration {

    /** The configured client. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(LockSource.class)
    static class Client {

        @Bean
        LockActivity wellkeeperLockActivity() {
            return new LockActivity();
        }

        @Bean
        LockClients wellkeeperLockClients(
                WellkeeperProperties properties,
                Environment environment,
                LockActivity activity,
                ObjectProvider<SslBundles> bundles,
                ObjectProvider<LockListener> listeners,
                ObjectProvider<ClientOptionsCustomizer> customizers) {
            return new LockClients(
                    properties, options(properties, environment, activity, listeners, customizers), bundles);
        }

        private static ClientOptions options(
                WellkeeperProperties properties,
                Environment environment,
                LockActivity activity,
                ObjectProvider<LockListener> listeners,
                ObjectProvider<ClientOptionsCustomizer> customizers) {
            ClientOptions.Builder options = ClientOptions.builder()
                    .listener(new LockListeners(listeners.orderedStream().toList()))
                    .callbackExecutor(activity.callbacks());
            try {
                properties.applyTo(options, environment.getProperty("spring.application.name", ""));
            } catch (IllegalArgumentException wrong) {
                throw new StoreConfigurationException(
                        "A property of wellkeeper has a value that is not allowed: " + wrong.getMessage() + ".",
                        "Correct it.",
                        wrong);
            }
            customizers.orderedStream().forEach(customizer -> customizer.customize(options));
            return options.build();
        }

        @Bean(destroyMethod = "close")
        LockClient wellkeeperLockClient(
                LockClients clients,
                ObjectProvider<TicketStore> given,
                ObjectProvider<WellkeeperConnectionDetails> details,
                ObjectProvider<ApplicationStore> known) {
            return clients.client(
                    given.stream().findFirst(),
                    details.stream().findFirst(),
                    known.orderedStream().toList());
        }

        @Bean
        @ConditionalOnBooleanProperty(name = "wellkeeper.drain", matchIfMissing = true)
        LockDrain wellkeeperLockDrain(LockActivity activity) {
            return new LockDrain(activity);
        }
    }

    @Bean
    ElectionsEnd wellkeeperElectionsEnd(ObjectProvider<LeaderElection> elections) {
        return new ElectionsEnd(elections);
    }

    @Bean
    static ExecutorsEndFirst wellkeeperExecutorsEndFirst(ConfigurableListableBeanFactory beans) {
        return new ExecutorsEndFirst(beans);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({CuratorFramework.class, ZooKeeperTicketStore.class})
    @ConditionalOnSingleCandidate(CuratorFramework.class)
    static class OverCurator {

        @Bean
        ApplicationStore wellkeeperCuratorStore(CuratorFramework curator) {
            return new CuratorApplicationStore(curator);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({DataSourceBuilder.class, SqlTicketStore.class})
    @ConditionalOnSingleCandidate(DataSource.class)
    static class OverDataSource {

        @Bean
        ApplicationStore wellkeeperDataSourceStore(DataSource source) {
            return new DataSourceApplicationStore(source);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({DataRedisConnectionDetails.class, RedisTicketStore.class})
    @ConditionalOnBean(DataRedisConnectionDetails.class)
    static class OverRedis {

        @Bean
        ApplicationStore wellkeeperRedisStore(DataRedisConnectionDetails details) {
            return new RedisApplicationStore(details);
        }
    }
}
