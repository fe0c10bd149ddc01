package io.wellkeeper.spring.boot;

import org.springframework.boot.testcontainers.service.connection.ContainerConnectionDetailsFactory;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionSource;
import org.testcontainers.containers.Container;

/** Keeps the locks of a test in a ZooKeeper container that is annotated with {@code @ServiceConnection}. */
final class ZooKeeperContainerConnectionDetailsFactory
        extends ContainerConnectionDetailsFactory<Container<?>, WellkeeperConnectionDetails> {

    private static final int PORT = 2181;

    ZooKeeperContainerConnectionDetailsFactory() {
        super("zookeeper");
    }

    @Override
    protected WellkeeperConnectionDetails getContainerConnectionDetails(
            ContainerConnectionSource<Container<?>> source) {
        return new Details(source);
    }

    private static final class Details extends ContainerConnectionDetails<Container<?>>
            implements WellkeeperConnectionDetails {

        Details(ContainerConnectionSource<Container<?>> source) {
            super(source);
        }

        @Override
        public String uri() {
            return "zookeeper://" + getContainer().getHost() + ":"
                    + getContainer().getMappedPort(PORT);
        }
    }
}
