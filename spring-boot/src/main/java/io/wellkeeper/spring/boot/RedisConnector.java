package io.wellkeeper.spring.boot;

import io.lettuce.core.RedisClient;
import io.lettuce.core.SslOptions;
import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.redis.RedisTicketStore;
import io.wellkeeper.spi.ClientUri;
import io.wellkeeper.spi.StoreUri;
import java.time.Duration;
import org.springframework.boot.ssl.SslBundle;

/** A store in Redis whose connections are encrypted by means of an SSL bundle. */
final class RedisConnector implements AutoCloseable {

    private static final Duration FAREWELL = Duration.ofSeconds(2);

    private final RedisClient lettuce;
    private final RedisTicketStore store;
    private final ClientOptions options;

    private RedisConnector(RedisClient lettuce, RedisTicketStore store, ClientOptions options) {
        this.lettuce = lettuce;
        this.store = store;
        this.options = options;
    }

    /**
     * @throws IllegalArgumentException if the URI is wrong, saying which part and why
     */
    static RedisConnector of(StoreUri uri, ClientOptions options, SslBundle bundle) {
        ClientUri both = ClientUri.of(uri, options);
        RedisClient lettuce = RedisClient.create();
        try {
            lettuce.setOptions(io.lettuce.core.ClientOptions.builder()
                    .sslOptions(ssl(bundle))
                    .build());
            return new RedisConnector(lettuce, RedisTicketStore.over(lettuce, both.store()), both.options());
        } catch (IllegalArgumentException wrong) {
            lettuce.shutdown(Duration.ZERO, FAREWELL);
            throw wrong;
        }
    }

    private static SslOptions ssl(SslBundle bundle) {
        SslOptions.Builder ssl = SslOptions.builder()
                .keyManager(bundle.getManagers().getKeyManagerFactory())
                .trustManager(bundle.getManagers().getTrustManagerFactory());
        String[] ciphers = bundle.getOptions().getCiphers();
        if (ciphers != null) {
            ssl.cipherSuites(ciphers);
        }
        String[] protocols = bundle.getOptions().getEnabledProtocols();
        if (protocols != null) {
            ssl.protocols(protocols);
        }
        return ssl.build();
    }

    LockClient connect() {
        return LockClient.over(store, options);
    }

    @Override
    public void close() {
        store.close();
        lettuce.shutdown(Duration.ZERO, FAREWELL);
    }
}
