package io.wellkeeper.jdbc;

import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.testservers.TcpProxy;

/** A proxy before a server. */
final class ProxyWire implements Wire {

    private final TcpProxy proxy;
    private final SqlTicketStore store;

    ProxyWire(Servers server, Tables tables) {
        proxy = TcpProxy.of(server.port());
        store = SqlTicketStore.of(StoreUri.parse(server.uri(proxy.port()) + "&prefix=" + tables.prefix()));
    }

    @Override
    public SqlTicketStore store() {
        return store;
    }

    @Override
    public void cut() {
        proxy.cut();
    }

    @Override
    public void refuse(boolean refused) {
        proxy.refuse(refused);
    }

    @Override
    public void swallow(boolean swallowed) {
        proxy.swallowReplies(swallowed);
    }

    @Override
    public void close() {
        proxy.close();
    }
}
