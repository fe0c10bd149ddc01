package io.wellkeeper.spi;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import java.util.Set;

/**
 * What the address of a store says: of the store, and of the client. The parameters {@code sessionTimeout},
 * {@code storeTimeout}, {@code closeTimeout} and {@code clientName} are the client's. {@link LockClient#connect(String)} reads
 * its URI so; this is for those who make a store by hand from a URI of a user's, because it takes more than that, and then a
 * client over it.
 *
 * @param store the URI without what is the client's
 * @param options what it says of the client, and for the rest the given options
 */
public record ClientUri(StoreUri store, ClientOptions options) {

    private static final Set<String> OURS = Set.of("sessionTimeout", "storeTimeout", "closeTimeout", "clientName");

    /**
     * Reads what a URI says of the client.
     *
     * @param uri a store's address
     * @param options what it says nothing of
     * @return both parts
     * @throws IllegalArgumentException if a parameter is almost one of the client's, or has a value that can be none
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
