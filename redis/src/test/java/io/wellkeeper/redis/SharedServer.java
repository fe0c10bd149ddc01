package io.wellkeeper.redis;

import io.wellkeeper.testkit.process.RedisProcess;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** One server for all test classes, which keeps its data when it is restarted. */
final class SharedServer implements ParameterResolver {

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == RedisProcess.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return context.getRoot()
                .getStore(Namespace.create(SharedServer.class))
                .computeIfAbsent("server", key -> RedisProcess.start("--appendonly", "yes"), RedisProcess.class);
    }
}
