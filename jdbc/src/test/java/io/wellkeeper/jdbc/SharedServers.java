package io.wellkeeper.jdbc;

import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Each kind of server once for all test classes. */
final class SharedServers implements ParameterResolver {

    private static final Map<Class<?>, Supplier<Servers>> KINDS = Map.of(
            PostgresServer.class, PostgresServer::new,
            MariaDbServer.class, MariaDbServer::new,
            SqliteServer.class, SqliteServer::new);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return KINDS.containsKey(parameter.getParameter().getType());
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> kind = parameter.getParameter().getType();
        return context.getRoot()
                .getStore(Namespace.create(SharedServers.class))
                .computeIfAbsent(kind, key -> KINDS.get(kind).get(), Servers.class);
    }
}
