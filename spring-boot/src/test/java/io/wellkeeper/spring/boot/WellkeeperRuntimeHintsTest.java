package io.wellkeeper.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.GeneratedFiles;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.javapoet.ClassName;

class WellkeeperRuntimeHintsTest {

    @TempDir
    Path folder;

    private final RuntimeHints hints = new RuntimeHints();

    @Test
    void hints_eachStore_keepItsProviderAndWhatItReads() {
        new WellkeeperRuntimeHints().registerHints(hints, getClass().getClassLoader());
        for (String store : new String[] {
            "jdbc.SqlTicketStoreProvider", "redis.RedisTicketStoreProvider", "zookeeper.ZooKeeperTicketStoreProvider"
        }) {
            assertThat(RuntimeHintsPredicates.reflection()
                            .onType(TypeReference.of("io.wellkeeper." + store))
                            .withMemberCategory(MemberCategory.INVOKE_PUBLIC_CONSTRUCTORS))
                    .as(store)
                    .accepts(hints);
        }
        for (String file : new String[] {
            "META-INF/services/io.wellkeeper.spi.StoreProvider",
            "io/wellkeeper/jdbc/postgresql/take.sql",
            "io/wellkeeper/jdbc/leases/mariadb/schema.sql",
            "io/wellkeeper/redis/take.lua"
        }) {
            assertThat(getClass().getClassLoader().getResource(file)).as(file).isNotNull();
            assertThat(RuntimeHintsPredicates.resource().forResource(file))
                    .as(file)
                    .accepts(hints);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        WellkeeperAutoConfiguration.class,
        LockedAutoConfiguration.class,
        LockMetricsAutoConfiguration.class,
        LocksEndpointAutoConfiguration.class,
        LocksHealthAutoConfiguration.class,
        SslAutoConfiguration.class
    })
    static class Application {}

    /** Ahead of time nothing is connected to, and the URI need not be known. */
    @Test
    void applicationContext_aheadOfTime_isProcessedWithoutAStore() {
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.register(Application.class);
            TestPropertyValues.of("spring.aot.enabled=false").applyTo(context);
            InMemoryGeneratedFiles files = new InMemoryGeneratedFiles();
            DefaultGenerationContext generation = new DefaultGenerationContext(
                    new ClassNameGenerator(ClassName.get("io.wellkeeper.spring.boot", "Aot")), files);
            new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
            generation.writeGeneratedContent();
            assertThat(files.getGeneratedFiles(GeneratedFiles.Kind.SOURCE).keySet())
                    .anyMatch(file -> file.toLowerCase(Locale.ROOT).contains("wellkeeperautoconfiguration"));
            assertThat(RuntimeHintsPredicates.reflection().onType(WellkeeperProperties.class))
                    .accepts(generation.getRuntimeHints());
            assertThat(RuntimeHintsPredicates.resource().forResource("io/wellkeeper/redis/take.lua"))
                    .accepts(generation.getRuntimeHints());
        }
    }
}
