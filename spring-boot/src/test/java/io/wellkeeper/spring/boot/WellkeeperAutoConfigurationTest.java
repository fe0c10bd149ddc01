package io.wellkeeper.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockListener;
import io.wellkeeper.LockSource;
import io.wellkeeper.spring.InTransaction;
import io.wellkeeper.spring.LockedSettings;
import io.wellkeeper.testkit.InMemoryLeaseStore;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

class WellkeeperAutoConfigurationTest {

    @TempDir
    Path folder;

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    WellkeeperAutoConfiguration.class, LockedAutoConfiguration.class, SslAutoConfiguration.class));

    private String sqlite(String file) {
        return "jdbc:sqlite:" + folder.resolve(file);
    }

    private static void locks(LockSource source) {
        try (LockHandle handle = source.lock("a/b").tryAcquire().orElseThrow()) {
            assertThat(handle.fencingToken()).isPositive();
        }
    }

    @Test
    void client_uriSet_keepsLocksThere() {
        application.withPropertyValues("wellkeeper.uri=" + sqlite("locks.db")).run(context -> {
            locks(context.getBean(LockClient.class));
            assertThat(folder.resolve("locks.db")).exists();
        });
    }

    @Test
    void client_contextClosed_isClosedBeforeTheStore() {
        List<String> ends = new CopyOnWriteArrayList<>();
        application
                .withBean(InMemoryServer.class)
                .withBean(InMemoryTicketStore.class)
                .run(context -> {
                    LockClient client = context.getBean(LockClient.class);
                    InMemoryServer server = context.getBean(InMemoryServer.class);
                    LockHandle handle = client.lock("a").acquire();
                    handle.onLost(() -> ends.add("lost"));
                    context.getSourceApplicationContext().close();
                    assertThat(server.queueLength("a")).isZero();
                });
        await().untilAsserted(() -> assertThat(ends).containsExactly("lost"));
    }

    @Test
    void client_ofTheApplication_goesBeforeEverything() {
        try (InMemoryServer server = new InMemoryServer();
                LockClient own = LockClient.over(new InMemoryTicketStore(server))) {
            application
                    .withBean("own", LockClient.class, () -> own)
                    .withPropertyValues("wellkeeper.uri=redis://nowhere:1")
                    .run(context ->
                            assertThat(context).getBean(LockClient.class).isSameAs(own));
        }
    }

    @Test
    void client_applicationHasLeases_isNotMade() {
        try (InMemoryServer server = new InMemoryServer();
                LeaseClient own = LeaseClient.over(new InMemoryLeaseStore(server))) {
            application
                    .withBean("own", LeaseClient.class, () -> own)
                    .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(LockClient.class));
        }
    }

    @Test
    void client_detailsAndUri_goesByTheDetails() {
        application
                .withBean("details", WellkeeperConnectionDetails.class, () -> () -> sqlite("details.db"))
                .withPropertyValues("wellkeeper.uri=" + sqlite("uri.db"))
                .run(context -> {
                    locks(context.getBean(LockClient.class));
                    assertThat(folder.resolve("details.db")).exists();
                    assertThat(folder.resolve("uri.db")).doesNotExist();
                });
    }

    @Test
    void client_poolOfOneConnection_takesNoneOfThePool() {
        application
                .withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
                .withPropertyValues(
                        "spring.datasource.url=" + sqlite("pool.db"), "spring.datasource.hikari.maximum-pool-size=1")
                .run(context -> {
                    locks(context.getBean(LockClient.class));
                    HikariDataSource pool = context.getBean(HikariDataSource.class);
                    try (var connection = pool.getConnection()) {
                        locks(context.getBean(LockClient.class));
                    }
                });
    }

    @Test
    void client_databaseAndRedis_asksWhich() {
        ApplicationContextRunner both = application
                .withConfiguration(
                        AutoConfigurations.of(DataSourceAutoConfiguration.class, DataRedisAutoConfiguration.class))
                .withPropertyValues("spring.datasource.url=" + sqlite("pool.db"));
        both.run(context -> assertThat(context).getFailure().rootCause().satisfies(failure -> {
            assertThat(failure)
                    .isInstanceOf(StoreConfigurationException.class)
                    .hasMessageContaining("[data-source, redis]");
            assertThat(((StoreConfigurationException) failure).action()).contains("wellkeeper.store");
        }));
        both.withPropertyValues("wellkeeper.store=data-source").run(context -> {
            locks(context.getBean(LockClient.class));
            assertThat(folder.resolve("pool.db")).exists();
        });
    }

    @Test
    void client_moduleOfDatabasesMissing_doesNotUseTheDatabase() {
        application
                .withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
                .withPropertyValues("spring.datasource.url=" + sqlite("pool.db"))
                .withClassLoader(new FilteredClassLoader("io.wellkeeper.jdbc"))
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(StoreConfigurationException.class)
                        .hasMessageContaining("no store for locks"));
    }

    @Test
    void client_nothingButCore_saysWhatIsMissing() {
        application
                .withClassLoader(new FilteredClassLoader(
                        "io.wellkeeper.jdbc",
                        "io.wellkeeper.redis",
                        "io.wellkeeper.zookeeper",
                        "org.apache.curator",
                        "io.lettuce",
                        "org.springframework.boot.jdbc",
                        "org.springframework.boot.data",
                        "org.springframework.boot.actuate",
                        "org.springframework.boot.health",
                        "io.micrometer"))
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(StoreConfigurationException.class)
                        .hasMessageContaining("wellkeeper.uri is not set"));
    }

    @Test
    void client_disabled_isNotMade() {
        application
                .withPropertyValues("wellkeeper.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(LockSource.class));
    }

    @Test
    void client_optionsSet_hasThem() {
        application
                .withUserConfiguration(MemoryStore.class)
                .withBean(ClientOptionsCustomizer.class, () -> options -> options.closeTimeout(Duration.ofSeconds(7)))
                .withPropertyValues(
                        "spring.application.name=shop",
                        "wellkeeper.session-timeout=3s",
                        "wellkeeper.close-timeout=6s",
                        "wellkeeper.lock-defaults.hand-overs=0",
                        "wellkeeper.lock-defaults.interrupt-on-loss=true")
                .run(context -> {
                    LockClient client = context.getBean(LockClient.class);
                    assertThat(client.options().clientName()).isEqualTo("shop");
                    assertThat(client.options().sessionTimeout()).hasSeconds(3);
                    assertThat(client.options().closeTimeout()).hasSeconds(7);
                    assertThat(client.options().lockDefaults().handOvers()).isZero();
                    assertThat(client.options().lockDefaults().interruptOnLoss())
                            .isTrue();
                    assertThat(client.options().lockDefaults().reentrant()).isTrue();
                });
    }

    @Test
    void client_optionNotAllowed_saysWhichOne() {
        application
                .withUserConfiguration(MemoryStore.class)
                .withPropertyValues("wellkeeper.session-timeout=1ms")
                .run(context -> assertThat(context)
                        .getFailure()
                        .cause()
                        .rootCause()
                        .hasMessageContaining("sessionTimeout is PT0.001S"));
    }

    @Test
    void locked_propertiesSet_areItsSettings() {
        application
                .withUserConfiguration(MemoryStore.class)
                .run(context ->
                        assertThat(context.getBean(LockedSettings.class)).isEqualTo(LockedSettings.defaults()));
        application
                .withUserConfiguration(MemoryStore.class)
                .withPropertyValues("wellkeeper.locked.order=7", "wellkeeper.locked.in-transaction=fail")
                .run(context -> assertThat(context.getBean(LockedSettings.class))
                        .isEqualTo(new LockedSettings(7, InTransaction.FAIL)));
    }

    @Test
    void locked_keyUnknownAndClientOfTheApplication_endsTheStart() {
        application
                .withUserConfiguration(MemoryStore.class)
                .withPropertyValues("wellkeeper.locked.ordre=7")
                .run(context ->
                        assertThat(context).getFailure().rootCause().hasMessageContaining("wellkeeper.locked.ordre"));
    }

    @Test
    void client_sslBundleWithoutUri_isRefused() {
        application
                .withUserConfiguration()
                .withPropertyValues("wellkeeper.ssl.bundle=keys")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("wellkeeper.ssl.bundle is set, but not wellkeeper.uri"));
    }

    @Test
    void client_sslBundleUnknownOrForAnotherStore_isRefused() {
        application
                .withPropertyValues("wellkeeper.uri=rediss://localhost:1", "wellkeeper.ssl.bundle=keys")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining("names 'keys', and there is no such SSL bundle"));
    }

    @Test
    void listeners_severalOfWhichOneThrows_areAllTold() {
        List<String> told = new CopyOnWriteArrayList<>();
        application
                .withUserConfiguration(MemoryStore.class)
                .withBean("first", LockListener.class, () -> new Throwing())
                .withBean("second", LockListener.class, () -> new LockListener() {
                    @Override
                    public void acquired(Acquisition what, Duration waited) {
                        told.add(what.lock());
                    }
                })
                .run(context -> {
                    locks(context.getBean(LockClient.class));
                    await().untilAsserted(() -> assertThat(told).containsExactly("a/b"));
                });
    }

    @Order(Ordered.HIGHEST_PRECEDENCE)
    private static final class Throwing implements LockListener {

        @Override
        public void acquired(Acquisition what, Duration waited) {
            throw new IllegalStateException("a listener that throws");
        }
    }
}
