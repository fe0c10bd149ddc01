package io.wellkeeper.zookeeper;

import static io.wellkeeper.zookeeper.Await.get;
import static io.wellkeeper.zookeeper.Requested.session;
import static io.wellkeeper.zookeeper.Requested.ticket;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.testservers.TcpProxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.Request;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A thread of the server stands still when it has read a request; the session comes back by another one meanwhile. */
@Tag("full")
class LateRequestTest {

    @TempDir
    private Path directory = Path.of("");

    private final CompletableFuture<Void> read = new CompletableFuture<>();
    private final CompletableFuture<Void> goOn = new CompletableFuture<>();
    private final CompletableFuture<Void> submitted = new CompletableFuture<>();
    private volatile boolean holdsUp;

    private ZooKeeperServer server() throws Exception {
        return new ZooKeeperServer(directory.toFile(), directory.toFile(), 500) {
            @Override
            public void submitRequest(Request request) {
                boolean late = holdsUp && request.type == OpCode.create2;
                if (late) {
                    holdsUp = false;
                    read.complete(null);
                    goOn.join();
                }
                super.submitRequest(request);
                if (late) {
                    submitted.complete(null);
                }
            }
        };
    }

    @Test
    void take_lostRequestIsCarriedOutWhenTheNextOneHasBeen_leavesOneTicket() throws Exception {
        NIOServerCnxnFactory factory = new NIOServerCnxnFactory();
        factory.configure(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
        factory.startup(server());
        TcpProxy proxy = TcpProxy.framed(factory.getLocalPort());
        ZooKeeperTicketStore store = ZooKeeperTicketStore.of(StoreUri.parse("zookeeper://" + proxy.address()));
        Session session = session(store);
        TicketQueue queue = session.queue("late");
        get(queue.remove(get(queue.take(ticket())).ticket()));
        holdsUp = true;
        CompletionStage<Place> taking = queue.take(ticket());
        get(read);
        proxy.cut();
        Place place = get(taking);

        goOn.complete(null);
        get(submitted);

        await().untilAsserted(() -> assertThat(get(queue.tickets())).containsExactly(place.ticket()));
        store.close();
        proxy.close();
        factory.shutdown();
    }
}
