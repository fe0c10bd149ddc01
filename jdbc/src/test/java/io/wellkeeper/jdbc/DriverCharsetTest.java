package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.LeaseStore;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.StoreRefusalException;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketInfo;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketRequest;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A client whose driver sends latin1 to MariaDB or MySQL, and one whose driver sends UTF-8, mean the same by a name. */
@Tag("full")
@ExtendWith(SharedServers.class)
class DriverCharsetTest {

    private static final Duration TTL = Duration.ofSeconds(20);
    private static final String UMLAUT = "z\u00fcrich";
    private static final String EMOJI = "\ud83d\udd12\u9501";

    private final MariaDbServer server;
    private final String prefix = RealDatabase.prefix();

    DriverCharsetTest(MariaDbServer server) {
        this.server = server;
    }

    private DataSource source(String charset) {
        String url = "jdbc:mysql://127.0.0.1:" + server.port() + "/wellkeeper?user=root&sslMode=DISABLED"
                + "&allowPublicKeyRetrieval=true&characterEncoding=" + charset;
        return (PlainDataSource) () -> DriverManager.getConnection(url);
    }

    @ParameterizedTest
    @ValueSource(strings = {UMLAUT, EMOJI})
    void take_nameSentInAnotherCharset_isOneQueue(String name) {
        SqlTicketStore utf8 = SqlTicketStore.over(source("UTF-8"), "wellkeeper", prefix);
        SqlTicketStore latin1 = SqlTicketStore.over(source("latin1"), "wellkeeper", prefix);
        try {
            Session session = Sessions.open(utf8, TTL);
            Session other = Sessions.open(latin1, TTL);
            TicketQueue queue = session.queue(name);
            TicketQueue same = other.queue(name);
            Ticket first = Await.get(queue.take(new TicketRequest("first", Mode.EXCLUSIVE, 1, name)))
                    .ticket();
            Ticket second = Await.get(same.take(new TicketRequest("second", Mode.EXCLUSIVE, 1, name)))
                    .ticket();

            assertThat(Await.get(queue.tickets())).containsExactly(first, second);
            assertThat(Await.get(same.inspect()))
                    .extracting(TicketInfo::metadata)
                    .containsExactly(name, name);
            assertThat(Await.get(other.names(name.substring(0, 2)))).containsExactly(name);

            Queue<String> seen = new ConcurrentLinkedQueue<>();
            Registration watch = queue.onNotice(() -> queue.notice().thenAccept(notice -> seen.add(notice.text())));
            Notice none = Await.get(queue.notice()); // the watch reports what changes from here on
            assertThat(Await.get(same.post(none, name + " is closed"))).isTrue();
            await().untilAsserted(() -> assertThat(seen).contains(name + " is closed"));
            assertThat(Await.get(queue.notice()).text()).isEqualTo(name + " is closed");
            watch.close();
        } finally {
            utf8.close();
            latin1.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {UMLAUT, EMOJI})
    void tryAcquire_nameSentInAnotherCharset_isOneLease(String name) {
        assertIsOneLease(
                LeaseTableStore.over(source("UTF-8"), "wellkeeper", prefix),
                LeaseTableStore.over(source("latin1"), "wellkeeper", prefix),
                name);
    }

    @Test
    void tryAcquire_nameThatTheCharsetHasInATableOfShedLock_isOneLease() {
        LibraryTables.shedLock(server);
        assertIsOneLease(
                ShedLockLeaseStore.over(source("UTF-8")), ShedLockLeaseStore.over(source("latin1")), prefix + UMLAUT);
    }

    private static void assertIsOneLease(LeaseStore utf8, LeaseStore latin1, String name) {
        try {
            Lease lease = Await.get(utf8.tryAcquire(new LeaseRequest(name, "me", TTL, name)))
                    .orElseThrow();
            LeaseRequest another = new LeaseRequest(name, "another", TTL, name);
            assertThat(Await.get(latin1.tryAcquire(another))).isEmpty();
            assertThat(Await.get(utf8.release(lease))).isTrue();
            Lease next = Await.get(latin1.tryAcquire(another)).orElseThrow();
            assertThat(Await.get(utf8.tryAcquire(new LeaseRequest(name, "me", TTL, name))))
                    .isEmpty();
            assertThat(Await.get(latin1.renew(next, TTL))).isTrue();
            assertThat(Await.get(latin1.release(next))).isTrue();
        } finally {
            utf8.close();
            latin1.close();
        }
    }

    @Test
    void tryAcquire_nameThatTheCharsetLacksInATableOfShedLock_isRefused() {
        LibraryTables.shedLock(server);
        LeaseStore latin1 = ShedLockLeaseStore.over(source("latin1"));
        try {
            assertThat(Await.failure(latin1.tryAcquire(new LeaseRequest(EMOJI, "me", TTL, ""))))
                    .isInstanceOf(StoreRefusalException.class)
                    .hasMessageContaining(EMOJI)
                    .hasMessageContaining("character set");
        } finally {
            latin1.close();
        }
    }
}
