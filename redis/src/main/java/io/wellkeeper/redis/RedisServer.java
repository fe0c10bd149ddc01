package io.wellkeeper.redis;

import io.lettuce.core.RedisURI;
import io.lettuce.core.SslVerifyMode;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.StoreUri;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
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
 */
record RedisServer(
        String host,
        int port,
        boolean tls,
        Optional<String> user,
        Optional<String> password,
        int database,
        Optional<String> client) {

    static final int DEFAULT_PORT = 6379;
    static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2); // for connecting, and for the answer to one question

    /** The one server of {@code redis://host:port/database}. */
    static RedisServer of(StoreUri uri) {
        if (uri.hosts().indexOf(',') >= 0) {
            throw new IllegalArgumentException(
                    "store URI names several hosts; expected " + uri.scheme() + "://host:port");
        }
        return all(uri, DEFAULT_PORT, database(uri)).get(0);
    }

    /** The database that the path names. */
    static int database(StoreUri uri) {
        String path = uri.path().startsWith("/") ? uri.path().substring(1) : uri.path();
        return path.isEmpty() ? 0 : number("database", path, 0, Integer.MAX_VALUE);
    }

    /**
     * The servers that a URI names.
     *
     * @param defaultPort of those without a port
     * @param database of each
     */
    static List<RedisServer> all(StoreUri uri, int defaultPort, int database) {
        if (uri.hosts().isEmpty()) {
            throw new IllegalArgumentException("store URI names no host; expected " + uri.scheme() + "://host:port");
        }
        return Arrays.stream(uri.hosts().split(",", -1))
                .map(address -> read(uri, address, defaultPort, database))
                .toList();
    }

    private static RedisServer read(StoreUri uri, String address, int defaultPort, int database) {
        Optional<String> user =
                uri.userInfo().filter(info -> info.indexOf(':') > 0).map(info -> info.substring(0, info.indexOf(':')));
        Optional<String> password = uri.userInfo().map(info -> info.substring(info.indexOf(':') + 1));
        int colon = address.indexOf(']') < 0 ? address.indexOf(':') : address.indexOf(':', address.indexOf(']'));
        String host = colon < 0 ? address : address.substring(0, colon);
        int port = colon < 0 ? defaultPort : number("port", address.substring(colon + 1), 1, 65_535);
        if (host.isEmpty()) {
            throw new IllegalArgumentException("store URI names a host that is empty, in '" + uri.hosts() + "'");
        }
        return new RedisServer(
                host.startsWith("[") ? host.substring(1, host.length() - 1) : host,
                port,
                uri.scheme().startsWith("rediss") || uri.scheme().equals(RedlockOptions.TLS_SCHEME),
                user,
                password,
                database,
                uri.parameter("client"));
    }

    /** The beginning of every key, for locks that share no keys with other programs. */
    static String prefix(StoreUri uri) {
        return uri.parameter("prefix").orElse("wellkeeper");
    }

    static int number(String what, String text, int least, int most) {
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

    /** Another server, with the settings of this one. */
    RedisServer at(String otherHost, int otherPort) {
        return new RedisServer(otherHost, otherPort, tls, user, password, database, client);
    }

    /** The same server, with another user. */
    RedisServer as(Optional<String> otherUser, Optional<String> otherPassword) {
        return new RedisServer(host, port, tls, otherUser, otherPassword, database, client);
    }

    /** An address without secrets. */
    String address() {
        String shown = host.indexOf(':') < 0 ? host : "[" + host + "]";
        return shown + ":" + port + (database == 0 ? "" : "/" + database);
    }

    /**
     * The URI for Lettuce.
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

    /** The failure to be reported where there is no connection, with the message of the innermost cause. */
    LockStoreException unreachable(@Nullable Throwable failure) {
        Throwable cause = failure;
        while (cause != null && cause.getCause() != null) {
            cause = cause.getCause();
        }
        String reason =
                cause == null ? "no connection" : Objects.requireNonNullElse(cause.getMessage(), cause.toString());
        return Refusals.of("cannot reach Redis at " + address() + ": " + reason, failure);
    }

    /** Without the password. */
    @Override
    public String toString() {
        return address();
    }
}
