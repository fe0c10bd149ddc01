package io.wellkeeper.spring.testing;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import io.wellkeeper.spring.Locked;
import java.util.Optional;

/**
 * Rules for ArchUnit that find calls which do not go through a proxy.
 *
 * <pre>{@code
 * @AnalyzeClasses(packages = "com.shop")
 * class GuardedMethodsTest {
 *     @ArchTest
 *     static final ArchRule guarded = SelfCalls.NONE_OF_LOCKED_METHODS;
 * }
 * }</pre>
 */
public final class SelfCalls {

    /**
     * No {@link Locked} method is called, or referred to, from within its own class, a subclass, or a class nested in
     * it: such a call bypasses the proxy, and runs without the lock. The rule cannot tell on which object a method is
     * called, so it also finds calls of a bean that was injected into itself; in that case move the method to a bean of
     * its own.
     */
    public static final ArchRule NONE_OF_LOCKED_METHODS = ArchRuleDefinition.noClasses()
            .should()
            .accessTargetWhere(new FromWithin())
            .because("a call from within its own bean does not go through the proxy, and runs without the lock")
            .allowEmptyShould(true);

    private SelfCalls() {}

    private static final class FromWithin extends DescribedPredicate<JavaAccess<?>> {

        FromWithin() {
            super("target is a @Locked method of the same bean");
        }

        @Override
        public boolean test(JavaAccess<?> access) {
            Optional<?> target = access.getTarget().resolveMember();
            return target.isPresent()
                    && target.get() instanceof JavaMethod method
                    && (method.isAnnotatedWith(Locked.class) || method.isMetaAnnotatedWith(Locked.class))
                    && isWithin(access.getOriginOwner(), method.getOwner());
        }

        private static boolean isWithin(JavaClass origin, JavaClass owner) {
            return origin.isAssignableTo(owner.getName())
                    || origin.getEnclosingClass()
                            .filter(outer -> isWithin(outer, owner))
                            .isPresent();
        }
    }
}
