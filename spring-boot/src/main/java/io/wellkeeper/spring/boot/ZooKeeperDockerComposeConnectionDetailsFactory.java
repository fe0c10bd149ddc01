package io.wellkeeper.spring.boot;

import org.springframework.boot.docker.compose.core.RunningService;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionDetailsFactory;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionSource;

/** Keeps the locks of an application under development in the ZooKeeper service of its {@code compose.yaml}. */
final class ZooKeeperDockerComposeConnectionDetailsFactory
        extends DockerComposeConnectionDetailsFactory<WellkeeperConnectionDetails> {

    private static final int PORT = 2181;

    ZooKeeperDockerComposeConnectionDetailsFactory() {
        super("zookeeper");
    }

    @Override
    protected WellkeeperConnectionDetails getDockerComposeConnectionDetails(DockerComposeConnectionSource source) {
        return new Details(source.getRunningService());
    }

    private static final class Details extends DockerComposeConnectionDetails implements WellkeeperConnectionDetails {

        private final String uri;

        Details(RunningService service) {
            super(service);
            this.uri = "zookeeper://" + service.host() + ":" + service.ports().get(PORT);
        }

        @Override
        public String uri() {
            return uri;
        }
    }
}
