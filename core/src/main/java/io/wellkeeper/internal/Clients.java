package io.wellkeeper.internal;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockClient;
import io.wellkeeper.spi.ClientUri;
import io.wellkeeper.spi.LeaseStore;
import io.wellkeeper.spi.LeaseStoreProvider;
import io.wellkeeper.spi.StoreProvider;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.spi.TicketStore;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;

/** Makes clients. */
public final class Clients {

    private Clients() {}

    /** See {@link LockClient#connect(String, ClientOptions)}. */
    public static LockClient connect(String uri, ClientOptions options) {
        StoreUri parsed = StoreUri.parse(uri);
        Optional<StoreProvider> provider = find(StoreProvider.class, StoreProvider::schemes, parsed.scheme());
        if (provider.isEmpty()) {
            throw unknown(
                    parsed,
                    schemes(StoreProvider.class, StoreProvider::schemes),
                    find(LeaseStoreProvider.class, LeaseStoreProvider::schemes, parsed.scheme())
                            .map(other -> "; it is a store of leases: use LeaseClient.connect"));
        }
        ClientUri both = ClientUri.of(parsed, options);
        return new TicketClient(provider.get().create(both.store()), true, both.options()).connect();
    }

    /** See {@link LockClient#over(TicketStore, ClientOptions)}. */
    public static LockClient over(TicketStore store, ClientOptions options) {
        return new TicketClient(store, false, options).connect();
    }

    /** See {@link LeaseClient#connect(String, ClientOptions)}. */
    public static LeaseClient connectLease(String uri, ClientOptions options) {
        StoreUri parsed = StoreUri.parse(uri);
        Optional<LeaseStoreProvider> provider =
                find(LeaseStoreProvider.class, LeaseStoreProvider::schemes, parsed.scheme());
        if (provider.isEmpty()) {
            throw unknown(
                    parsed,
                    schemes(LeaseStoreProvider.class, LeaseStoreProvider::schemes),
                    find(StoreProvider.class, StoreProvider::schemes, parsed.scheme())
                            .map(other -> "; it is a store of tickets: use LockClient.connect"));
        }
        ClientUri both = ClientUri.of(parsed, options);
        return new LeaseLockClient(provider.get().create(both.store()), true, both.options());
    }

    /** See {@link LeaseClient#over(LeaseStore, ClientOptions)}. */
    public static LeaseClient over(LeaseStore store, ClientOptions options) {
        return new LeaseLockClient(store, false, options);
    }

    private static <P> Optional<P> find(Class<P> kind, Function<P, Set<String>> schemes, String scheme) {
        return ServiceLoader.load(kind, Clients.class.getClassLoader()).stream()
                .map(ServiceLoader.Provider::get)
                .filter(provider -> schemes.apply(provider).contains(scheme))
                .findFirst();
    }

    private static <P> Set<String> schemes(Class<P> kind, Function<P, Set<String>> schemes) {
        Set<String> all = new TreeSet<>();
        ServiceLoader.load(kind, Clients.class.getClassLoader())
                .forEach(provider -> all.addAll(schemes.apply(provider)));
        return all;
    }

    private static IllegalArgumentException unknown(StoreUri uri, Set<String> known, Optional<String> hint) {
        return new IllegalArgumentException("no store on the class path serves the scheme '" + uri.scheme()
                + "'; known are " + known + hint.orElse(""));
    }
}
