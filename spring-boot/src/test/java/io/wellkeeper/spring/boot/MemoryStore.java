package io.wellkeeper.spring.boot;

import io.wellkeeper.spi.TicketStore;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application whose locks are kept in memory. */
@Configuration(proxyBeanMethods = false)
class MemoryStore {

    @Bean
    InMemoryServer server() {
        return new InMemoryServer();
    }

    @Bean
    TicketStore store(InMemoryServer server) {
        return new InMemoryTicketStore(server);
    }
}
