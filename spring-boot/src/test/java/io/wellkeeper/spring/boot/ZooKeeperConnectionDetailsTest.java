package io.wellkeeper.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Constructor;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetailsFactories;
import org.springframework.boot.docker.compose.core.ConnectionPorts;
import org.springframework.boot.docker.compose.core.ImageReference;
import org.springframework.boot.docker.compose.core.RunningService;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionSource;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionSource;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.context.ApplicationContextAware;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.mock.env.MockEnvironment;
import org.springframework.util.ClassUtils;
import org.testcontainers.containers.GenericContainer;

/** Through the factories that Spring Boot finds, but without Docker. */
class ZooKeeperConnectionDetailsTest {

    private static Object detailsOf(Object source) {
        Map<Class<?>, ConnectionDetails> all = new ConnectionDetailsFactories(
                        ZooKeeperConnectionDetailsTest.class.getClassLoader())
                .getConnectionDetails(source, true);
        return all.get(WellkeeperConnectionDetails.class);
    }

    /** Spring Boot alone makes sources. */
    private static <T> T source(Class<T> type, @Nullable Object... arguments) throws ReflectiveOperationException {
        for (Constructor<?> constructor : type.getDeclaredConstructors()) {
            Class<?>[] types = constructor.getParameterTypes();
            if (types.length == arguments.length
                    && IntStream.range(0, types.length)
                            .allMatch(i -> ClassUtils.isAssignableValue(types[i], arguments[i]))) {
                constructor.setAccessible(true);
                return type.cast(constructor.newInstance(arguments));
            }
        }
        throw new NoSuchMethodException("a constructor with " + arguments.length + " parameters");
    }

    @Test
    void dockerCompose_serviceOfZooKeeper_tellsItsUri() throws ReflectiveOperationException {
        Object details = detailsOf(
                source(DockerComposeConnectionSource.class, new Service("zookeeper:3.9"), new MockEnvironment()));
        assertThat(((WellkeeperConnectionDetails) details).uri()).isEqualTo("zookeeper://localhost:32181");
    }

    private record Service(String reference) implements RunningService {

        @Override
        public String name() {
            return "keeper";
        }

        @Override
        public ImageReference image() {
            return ImageReference.of(reference);
        }

        @Override
        public String host() {
            return "localhost";
        }

        @Override
        public ConnectionPorts ports() {
            return new Ports();
        }

        @Override
        public Map<String, String> env() {
            return Map.of();
        }

        @Override
        public Map<String, String> labels() {
            return Map.of();
        }
    }

    private static final class Ports implements ConnectionPorts {

        @Override
        public int get(int containerPort) {
            return 30_000 + containerPort;
        }

        @Override
        public List<Integer> getAll() {
            return List.of();
        }

        @Override
        public List<Integer> getAll(String protocol) {
            return List.of();
        }
    }

    @Test
    void container_ofZooKeeper_tellsItsUri() throws Exception {
        Supplier<Container> supplier = Container::new;
        Object details = detailsOf(source(
                ContainerConnectionSource.class,
                "keeper",
                Origin.from(this),
                Container.class,
                "zookeeper:3.9",
                MergedAnnotation.of(ServiceConnection.class),
                supplier,
                null,
                MergedAnnotations.from(Container.class)));
        ((ApplicationContextAware) details).setApplicationContext(new GenericApplicationContext());
        ((InitializingBean) details).afterPropertiesSet();
        assertThat(((WellkeeperConnectionDetails) details).uri()).isEqualTo("zookeeper://docker:42181");
    }

    private static final class Container extends GenericContainer<Container> {

        Container() {
            super("zookeeper:3.9");
        }

        @Override
        public void start() {}

        @Override
        public String getHost() {
            return "docker";
        }

        @Override
        public Integer getMappedPort(int port) {
            return 40_000 + port;
        }
    }
}
