package io.wellkeeper.spring.boot;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/**
 * The operations with parameters, for web requests. A request may give a parameter several times. Spring Boot would
 * join the values to one text: {@code a} and {@code b} would be the lock {@code a,b}.
 */
@EndpointWebExtension(endpoint = LocksEndpoint.class)
final class LocksEndpointWebExtension {

    private final LocksEndpoint endpoint;

    LocksEndpointWebExtension(LocksEndpoint endpoint) {
        this.endpoint = endpoint;
    }

    /** As {@link LocksEndpoint#locks}. */
    @ReadOperation
    public LocksEndpoint.Locks locks(@Nullable Object prefix, @Nullable Boolean deadlocks, @Nullable Boolean warnings) {
        return endpoint.locks(prefix == null ? null : one("prefix", prefix), deadlocks, warnings);
    }

    /** As {@link LocksEndpoint#revoke}. */
    @WriteOperation
    public LocksEndpoint.Revoked revoke(Object name, Object reason, SecurityContext security) {
        return endpoint.revoke(one("name", name), one("reason", reason), security);
    }

    /** As {@link LocksEndpoint#breakLock}. */
    @DeleteOperation
    public LocksEndpoint.Broken breakLock(Object name, Object reason, SecurityContext security) {
        return endpoint.breakLock(one("name", name), one("reason", reason), security);
    }

    private static String one(String parameter, Object value) {
        if (value instanceof String text) {
            return text;
        }
        throw new InvalidEndpointRequestException(
                "the parameter " + parameter + " is not one text", "give the parameter " + parameter + " once");
    }
}
