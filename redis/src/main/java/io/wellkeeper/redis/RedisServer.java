package io.wellkeeper.redis;

import io.lettuce.core.RedisURI;
import io.lettuce.core.SslVerifyMode;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.StoreUri;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which server a URI names, and how to speak to it.
 *
 * @param host its name
 * @param port its port
 * @param tls whether the connection is encrypted
 * @param user empty for the default user
 * @param password a secret; empty if there is none
 * @param database its number
 * @param client what the connections are called at the server; empty for the client's own name
 * @param prefix what every key begins with
 */
record RedisServer(
        String host,
        int port,
        boolean tls,
        Optional<String> user,
        Optional<String> password,
        int database,
        Optional<String> client,
        String prefix) {

    private static final int DEFAULT_PORT = 6379;
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

    static RedisServer of(StoreUri uri) {
        uri.refuseOtherParametersThan(Set.of("prefix", "client"));
        Optional<String> user =
                uri.userInfo().filter(info -> info.indexOf(':') > 0).map(info -> info.substring(0, info.indexOf(':')));
        Optional<String> password = uri.userInfo().map(info -> info.substring(info.indexOf(':') + 1));
        String address = uri.hosts();
        if (address.isEmpty() || address.indexOf(',') >= 0) {
            throw new IllegalArgumentException("store URI names " + (address.isEmpty() ? "no host" : "several hosts")
                    + "; expected " + uri.scheme() + "://host:port");
        }
        int colon = address.indexOf(']') < 0 ? address.indexOf(':') : address.indexOf(':', address.indexOf(']'));
        String host = colon < 0 ? address : address.substring(0, colon);
        int port = colon < 0 ? DEFAULT_PORT : number("port", address.substring(colon + 1), 1, 65_535);
        String path = uri.path().startsWith("/") ? uri.path().substring(1) : uri.path();
        return new RedisServer(
                host.startsWith("[") ? host.substring(1, host.length() - 1) : host,
                port,
                uri.scheme().equals("rediss"),
                user,
                password,
                path.isEmpty() ? 0 : number("database", path, 0, Integer.MAX_VALUE),
                uri.parameter("client"),
                uri.parameter("prefix").orElse("wellkeeper"));
    }

    private static int number(String what, String text, int least, int most) {
        try {
            int number = Integer.parseInt(text);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException wrong) {
            // said below
        }
        throw new IllegalArgumentException("store URI has '" + text + "' as its " + what + ", which is no such number");
    }

    /** An address without secrets. */
    String address() {
        String shown = host.indexOf(':') < 0 ? host : "[" + host + "]";
        return shown + ":" + port + (database == 0 ? "" : "/" + database);
    }

    /**
     * For Lettuce.
     *
     * @param clientName what the client calls itself
     */
    RedisURI uri(String clientName) {
        RedisURI.Builder builder = RedisURI.Builder.redis(host, port)
                .withDatabase(database)
                .withTimeout(CONNECT_TIMEOUT)
                .withClientName(client.orElse(clientName).replaceAll("[^!-~]", "_"));
        if (tls) {
            builder.withSsl(true).withVerifyPeer(SslVerifyMode.FULL);
        }
        if (user.isPresent()) {
            builder.withAuthentication(user.get(), password.orElse(""));
        } else if (password.isPresent()) {
            builder.withPassword(password.get().toCharArray());
        }
        return builder.build();
    }

    /** Why there is no connection: in the words of whoever refused it. */
    LockStoreException unreachable(@Nullable Throwable failure) {
        Throwable cause = failure;
        while (cause != null && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return new LockStoreException(
                "cannot reach Redis at " + address() + ": " + (cause == null ? "no connection" : cause.getMessage()));
    }

    /** Without the password. */
    @Override
    public String toString() {
        return address();
    }
}
