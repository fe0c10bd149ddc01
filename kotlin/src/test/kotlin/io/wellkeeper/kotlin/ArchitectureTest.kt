package io.wellkeeper.kotlin

import com.tngtech.archunit.core.importer.ImportOption
import com.tngtech.archunit.junit.AnalyzeClasses
import com.tngtech.archunit.junit.ArchTest
import com.tngtech.archunit.lang.ArchRule
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes

@AnalyzeClasses(packages = ["io.wellkeeper.kotlin"], importOptions = [ImportOption.DoNotIncludeTests::class])
class ArchitectureTest {

    @ArchTest
    val module_seesTheApiOfWellkeeperOnly: ArchRule =
        classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                "io.wellkeeper",
                "io.wellkeeper.kotlin",
                "java..",
                "kotlin..",
                "kotlinx.coroutines..",
                "org.jetbrains.annotations",
            )
}
