package io.wellkeeper.spring.boot;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.ssl.SslBundle;

/** Where locks are kept, told by a bean: it goes before {@code wellkeeper.uri}, as that of a container that was started for a test. */
public interface WellkeeperConnectionDetails extends ConnectionDetails {

    /** {@return as for {@link io.wellkeeper.LockClient#connect(String)}; it may have a password} */
    String uri();

    /** {@return keys and certificates for the connection; null for those of the JVM} */
    default @Nullable SslBundle sslBundle() {
        return null;
    }
}
