package io.wellkeeper.internal;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.SimpleLockClient;
import io.wellkeeper.spi.LeaseStore;
import io.wellkeeper.spi.TicketStore;

/** Makes clients. */
public final class Clients {

    private Clients() {}

    public static LockClient connect(String uri, ClientOptions options) {
        throw new UnsupportedOperationException();
    }

    public static LockClient over(TicketStore store, ClientOptions options) {
        throw new UnsupportedOperationException();
    }

    public static SimpleLockClient connectSimple(String uri, ClientOptions options) {
        throw new UnsupportedOperationException();
    }

    public static SimpleLockClient over(LeaseStore store, ClientOptions options) {
        throw new UnsupportedOperationException();
    }
}
