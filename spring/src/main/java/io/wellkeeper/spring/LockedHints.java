package io.wellkeeper.spring;

import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotContribution;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Tells what a native image must keep of the types whose properties and methods expressions use: of types that they
 * reach from parameters, and of beans. When this runs, the context has found the guarded methods, because it has
 * checked which beans get a proxy.
 */
final class LockedHints implements BeanFactoryInitializationAotProcessor {

    private final LockedMethods methods;

    LockedHints(LockedMethods methods) {
        this.methods = methods;
    }

    @Override
    public @Nullable BeanFactoryInitializationAotContribution processAheadOfTime(
            ConfigurableListableBeanFactory beans) {
        Set<Class<?>> asked =
                methods.all().stream().flatMap(LockedMethod::asked).collect(Collectors.toSet());
        return (generation, code) -> asked.forEach(type -> generation
                .getRuntimeHints()
                .reflection()
                .registerType(type, MemberCategory.INVOKE_PUBLIC_METHODS, MemberCategory.ACCESS_PUBLIC_FIELDS));
    }
}
