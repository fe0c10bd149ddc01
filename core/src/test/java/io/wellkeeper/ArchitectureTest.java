package io.wellkeeper;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.time.Clock;
import java.time.Instant;
import java.util.Date;

@AnalyzeClasses(packages = "io.wellkeeper", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    private static final String API = "io.wellkeeper";
    private static final String SPI = "io.wellkeeper.spi";
    private static final String INTERNAL = "io.wellkeeper.internal";

    @ArchTest
    static final ArchRule core_dependsOnNothing_butTheLoggingFacadeAndNullness = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(API, SPI, INTERNAL, "java..", "org.slf4j", "org.jspecify.annotations");

    @ArchTest
    static final ArchRule api_seesInternals_onlyWhereClientsAreMade = noClasses()
            .that()
            .resideInAPackage(API)
            .and()
            .doNotBelongToAnyOf(LockClient.class, LeaseClient.class)
            .should()
            .dependOnClassesThat()
            .resideInAPackage(INTERNAL);

    @ArchTest
    static final ArchRule spi_doesNotSeeInternals = noClasses()
            .that()
            .resideInAPackage(SPI)
            .should()
            .dependOnClassesThat()
            .resideInAPackage(INTERNAL);

    @ArchTest
    static final ArchRule signatures_ofApiAndSpi_neverMentionInternals = methods()
            .that()
            .areDeclaredInClassesThat()
            .resideInAnyPackage(API, SPI)
            .and()
            .areNotPrivate()
            .should(new ArchCondition<>("not mention internals") {
                @Override
                public void check(JavaMethod method, ConditionEvents events) {
                    boolean mentioned = method.getAllInvolvedRawTypes().stream()
                            .anyMatch(type -> type.getPackageName().equals(INTERNAL));
                    events.add(new SimpleConditionEvent(method, !mentioned, method.getFullName()));
                }
            });

    @ArchTest
    static final ArchRule internals_areClosed_butForTheMakerOfClientsAndWhatTestsAsk = classes()
            .that()
            .resideInAPackage(INTERNAL)
            .and(DescribedPredicate.describe("are top level", JavaClass::isTopLevelClass))
            .and()
            .doNotHaveSimpleName("Clients")
            .and()
            .doNotHaveSimpleName("Monitor")
            .should()
            .notBePublic();

    @ArchTest
    static final ArchRule nothing_isSynchronized_becauseVirtualThreadsWouldBePinned =
            methods().should().notHaveModifier(JavaModifier.SYNCHRONIZED);

    /** So it changes nothing for a client's locks when its clock is set. */
    @ArchTest
    static final ArchRule timeOfDay_isAskedFor_onlyToTellItAndByWhoIsGivenOne = noClasses()
            .that()
            .doNotHaveSimpleName("Administration") // tells since when somebody holds
            .and()
            .doNotHaveSimpleName("DeadlockSearch") // likewise
            .and()
            .doNotHaveSimpleName("QueueCondition") // awaitUntil(Date)
            .should()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(Instant.class, "now")
            .orShould()
            .callConstructor(Date.class)
            .orShould()
            .dependOnClassesThat()
            .areAssignableTo(Clock.class);
}
