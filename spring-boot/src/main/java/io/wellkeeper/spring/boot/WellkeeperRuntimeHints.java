package io.wellkeeper.spring.boot;

import io.wellkeeper.spi.StoreProvider;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Tells what a native image must keep: the providers of stores, and the scripts and statements that stores read. */
final class WellkeeperRuntimeHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.resources().registerPattern("META-INF/services/io.wellkeeper.spi.*");
        ServiceLoader.load(StoreProvider.class, classLoader).stream()
                .map(ServiceLoader.Provider::type)
                .forEach(provider -> {
                    hints.reflection().registerType(provider, MemberCategory.INVOKE_PUBLIC_CONSTRUCTORS);
                    String folder = provider.getPackageName().replace('.', '/');
                    hints.resources().registerPattern(folder + "/**/*.sql").registerPattern(folder + "/**/*.lua");
                });
    }
}
