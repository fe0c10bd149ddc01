package io.wellkeeper.spring.boot;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "io.wellkeeper.spring.boot", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule nothing_seesInternals =
            noClasses().should().dependOnClassesThat().resideInAPackage("io.wellkeeper.internal..");

    @ArchTest
    static final ArchRule nothing_isSynchronized_becauseVirtualThreadsWouldBePinned =
            methods().should().notHaveModifier(JavaModifier.SYNCHRONIZED);
}
