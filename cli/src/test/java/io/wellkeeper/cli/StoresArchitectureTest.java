package io.wellkeeper.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.wellkeeper.spi.Time;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What holds for all stores; here, because the program has them all. */
class StoresArchitectureTest {

    /** Any code of a program can block that thread; {@link Time#later} has one of its own. */
    @Test
    void alarms_areNeverOfTheThreadThatTheJdkHasForTimeouts() {
        noClasses()
                .should()
                .callMethod(CompletableFuture.class, "orTimeout", long.class, TimeUnit.class)
                .orShould()
                .callMethod(CompletableFuture.class, "completeOnTimeout", Object.class, long.class, TimeUnit.class)
                .orShould()
                .callMethod(CompletableFuture.class, "delayedExecutor", long.class, TimeUnit.class)
                .orShould()
                .callMethod(CompletableFuture.class, "delayedExecutor", long.class, TimeUnit.class, Executor.class)
                .check(new ClassFileImporter()
                        .withImportOption(new ImportOption.DoNotIncludeTests())
                        .importPackages(
                                "io.wellkeeper.internal",
                                "io.wellkeeper.spi",
                                "io.wellkeeper.zookeeper",
                                "io.wellkeeper.redis",
                                "io.wellkeeper.jdbc"));
    }
}
