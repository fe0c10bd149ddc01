package io.wellkeeper.spring.integration;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "io.wellkeeper.spring.integration", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule module_seesTheApiOfWellkeeperOnly = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "io.wellkeeper",
                    "io.wellkeeper.spring.integration",
                    "org.springframework.context",
                    "org.springframework.integration..",
                    "java..",
                    "org.slf4j",
                    "org.jspecify.annotations");
}
