package io.wellkeeper.spring.boot;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.ssl.SslBundle;

/**
 * Says where the locks are kept. Such a bean, for example for a container that was started for a test, takes precedence
 * over {@code wellkeeper.uri}.
 */
public interface WellkeeperConnectionDetails extends ConnectionDetails {

    /** {@return a URI as for {@link io.wellkeeper.LockClient#connect(String)}; it may contain a password} */
    String uri();

    /** {@return keys and certificates for the connection; null for those of the JVM} */
    default @Nullable SslBundle sslBundle() {
        return null;
    }
}
