package io.wellkeeper.spring.boot.test;

import io.wellkeeper.spring.boot.WellkeeperAutoConfiguration;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** A store in memory, which takes precedence over all other sources of locks. */
@AutoConfiguration(before = WellkeeperAutoConfiguration.class)
public final class InMemoryLocksAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    InMemoryServer inMemoryLockServer() {
        return new InMemoryServer();
    }

    @Bean
    @ConditionalOnMissingBean
    InMemoryTicketStore inMemoryTicketStore(InMemoryServer server) {
        return new InMemoryTicketStore(server);
    }
}
