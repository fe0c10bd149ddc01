package io.wellkeeper.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.testservers.RedisProcess;
import io.wellkeeper.testservers.ZooKeeperProcess;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** Redis and ZooKeeper, where the application is connected to them. */
class OtherApplicationStoresTest {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    WellkeeperAutoConfiguration.class, SslAutoConfiguration.class, DataRedisAutoConfiguration.class));

    private static void locks(ApplicationContext context) {
        try (LockHandle handle =
                context.getBean(LockClient.class).lock("a/b").tryAcquire().orElseThrow()) {
            assertThat(handle.fencingToken()).isPositive();
        }
    }

    private void uriIs(String uri, String... properties) {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, SslAutoConfiguration.class))
                .withPropertyValues(properties)
                .run(context -> assertThat(
                                new RedisApplicationStore(context.getBean(DataRedisConnectionDetails.class)).uri())
                        .isEqualTo(uri));
    }

    @Test
    void redis_oneServer_isNamedWithItsDatabaseAndSecrets() {
        uriIs("redis://localhost:6379/0");
        uriIs(
                "redis://me:p%40ss%2F%3A@cache:6380/3",
                "spring.data.redis.host=cache",
                "spring.data.redis.port=6380",
                "spring.data.redis.database=3",
                "spring.data.redis.username=me",
                "spring.data.redis.password=p@ss/:");
        uriIs("redis://:secret@cache:6379/0", "spring.data.redis.host=cache", "spring.data.redis.password=secret");
        uriIs("redis://[::1]:6379/0", "spring.data.redis.host=::1");
        uriIs("rediss://cache:6379/0", "spring.data.redis.host=cache", "spring.data.redis.ssl.enabled=true");
    }

    @Test
    void redis_sentinelsAndCluster_areNamed() {
        uriIs(
                "redis-sentinel://:p@s1:26379,s2:26380/main%20one?database=2&sentinelUser=su&sentinelPassword=sp",
                "spring.data.redis.sentinel.master=main one",
                "spring.data.redis.sentinel.nodes=s1:26379,s2:26380",
                "spring.data.redis.sentinel.username=su",
                "spring.data.redis.sentinel.password=sp",
                "spring.data.redis.database=2",
                "spring.data.redis.password=p");
        uriIs("redis-cluster://n1:7001,n2:7002", "spring.data.redis.cluster.nodes=n1:7001,n2:7002");
    }

    @Test
    void redis_ofSpringData_keepsTheLocks() {
        try (RedisProcess redis = RedisProcess.start("--requirepass", "secret")) {
            application
                    .withPropertyValues("spring.data.redis.port=" + redis.port(), "spring.data.redis.password=secret")
                    .run(OtherApplicationStoresTest::locks);
        }
    }

    @Test
    void curator_startedAndPreferred_keepsTheLocks() {
        try (ZooKeeperProcess keeper = ZooKeeperProcess.start()) {
            application
                    .withBean(
                            CuratorFramework.class,
                            () -> CuratorFrameworkFactory.newClient(keeper.address(), new RetryOneTime(100)),
                            definition -> definition.setInitMethodName("start"))
                    .withPropertyValues("wellkeeper.store=curator")
                    .run(OtherApplicationStoresTest::locks);
        }
    }

    @Test
    void curator_notStarted_isSaid() {
        application
                .withBean(
                        CuratorFramework.class,
                        () -> CuratorFrameworkFactory.newClient("localhost:1", new RetryOneTime(100)))
                .withPropertyValues("wellkeeper.store=curator")
                .run(context -> assertThat(context).getFailure().hasStackTraceContaining("is not started"));
    }
}
