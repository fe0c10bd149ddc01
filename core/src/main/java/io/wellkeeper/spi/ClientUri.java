package io.wellkeeper.spi;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import java.util.Set;

/**
 * The two parts of a store's address: the part for the store, and the part for the client. The parameters {@code
 * sessionTimeout}, {@code storeTimeout}, {@code closeTimeout} and {@code clientName} are for the client. {@link
 * LockClient#connect(String)} reads its URI in this way. This class is for code that makes a store by hand from a
 * user's URI, because the store needs more than a URI, and then makes a client over it.
 *
 * @param store the URI without the client's parameters
 * @param options the given options, overridden by the client's parameters of the URI
 */
public record ClientUri(StoreUri store, ClientOptions options) {

    private static final Set<String> OURS = Set.of("sessionTimeout", "storeTimeout", "closeTimeout", "clientName");

    /**
     * Splits a URI into the two parts.
     *
     * @param uri a store's address
     * @param options used where the URI has no parameter
     * @return both parts
     * @throws IllegalArgumentException if a parameter is almost one of the client's, or has an invalid value
     */
    public static ClientUri of(StoreUri uri, ClientOptions options) {
        uri.refuseMisspelt(OURS);
        ClientOptions.Builder merged = options.toBuilder();
        uri.duration("sessionTimeout").ifPresent(merged::sessionTimeout);
        uri.duration("storeTimeout").ifPresent(merged::storeTimeout);
        uri.duration("closeTimeout").ifPresent(merged::closeTimeout);
        uri.parameter("clientName").ifPresent(merged::clientName);
        return new ClientUri(uri.without(OURS), merged.build());
    }
}
