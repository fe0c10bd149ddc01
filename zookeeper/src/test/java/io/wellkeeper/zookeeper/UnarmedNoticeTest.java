package io.wellkeeper.zookeeper;

import static io.wellkeeper.zookeeper.Await.get;
import static io.wellkeeper.zookeeper.Requested.session;
import static io.wellkeeper.zookeeper.Requested.ticket;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.Request;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that has too much to do refuses to watch a notice, and does what else it is asked. */
@Tag("full")
class UnarmedNoticeTest {

    private final CompletableFuture<Void> refused = new CompletableFuture<>();
    private final AtomicInteger refusals = new AtomicInteger();
    private final NIOServerCnxnFactory factory = new NIOServerCnxnFactory();

    UnarmedNoticeTest(@TempDir Path directory) throws Exception {
        factory.configure(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
        factory.startup(new ZooKeeperServer(directory.toFile(), directory.toFile(), 500) {
            @Override
            public void submitRequest(Request request) {
                if (request.type == OpCode.exists && refusals.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
                    request.setIsThrottled(true);
                    refused.complete(null);
                }
                super.submitRequest(request);
            }
        });
    }

    @AfterEach
    void stop() {
        factory.shutdown();
    }

    @Test
    void onDeparture_noticeHasChangedBeforeItIsWatchedAgain_isToldToNobodyWhoKnowsTheOldOne() {
        StoreUri uri = StoreUri.parse("zookeeper://127.0.0.1:" + factory.getLocalPort());
        try (ZooKeeperTicketStore store = ZooKeeperTicketStore.of(uri);
                ZooKeeperTicketStore others = ZooKeeperTicketStore.of(uri)) {
            TicketQueue queue = session(store).queue("unarmed");
            TicketQueue sameByOthers = session(others).queue("unarmed");
            Ticket first = get(sameByOthers.take(ticket())).ticket();
            get(queue.take(ticket()));
            assertThat(get(sameByOthers.post(get(sameByOthers.notice()), "old")))
                    .isTrue();
            NoticeReader reader = new NoticeReader(queue);
            refusals.set(1);

            queue.onNotice(reader);
            reader.read();
            queue.onDeparture(List.of(first), reader);
            get(refused);
            assertThat(post(sameByOthers, "new")).isTrue();
            get(sameByOthers.remove(first));

            assertThat(get(reader.atDeparture())).isNotEqualTo("old");
            await().until(() -> reader.known().equals("new"));
        }
    }

    private static boolean post(TicketQueue queue, String text) {
        return get(queue.notice().thenCompose(seen -> queue.post(seen, text)));
    }
}
