package io.wellkeeper.spring;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "io.wellkeeper.spring", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule module_dependsOnSpringAndThePublicApi_alone = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "io.wellkeeper",
                    "io.wellkeeper.spi",
                    "io.wellkeeper.spring..",
                    "java..",
                    "org.aopalliance..",
                    "org.jspecify.annotations",
                    "org.slf4j",
                    "org.springframework..",
                    "com.tngtech.archunit..",
                    "org.reactivestreams",
                    "reactor.core..",
                    "kotlin..",
                    "kotlinx.coroutines..");

    @ArchTest
    static final ArchRule reactor_isUsed_onlyWhereAResultIsReactive = noClasses()
            .that()
            .haveNameNotMatching(".*\\.ReactiveCalls(\\$.*)?")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("reactor.core..", "org.reactivestreams", "org.springframework.transaction.reactive");

    @ArchTest
    static final ArchRule kotlin_isUsed_onlyWhereAResultIsACoroutines = noClasses()
            .that()
            .haveNameNotMatching(".*\\.Coroutines(\\$.*)?")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("kotlin..", "kotlinx..");

    @ArchTest
    static final ArchRule archUnit_isUsed_onlyByWhatTestsUse = noClasses()
            .that()
            .resideOutsideOfPackage("io.wellkeeper.spring.testing")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("com.tngtech.archunit..");

    @ArchTest
    static final ArchRule boot_andWeavers_areNotNeeded = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.springframework.boot..", "org.aspectj..");

    @ArchTest
    static final ArchRule nothing_isSynchronized_becauseVirtualThreadsWouldBePinned =
            methods().should().notHaveModifier(JavaModifier.SYNCHRONIZED);
}
