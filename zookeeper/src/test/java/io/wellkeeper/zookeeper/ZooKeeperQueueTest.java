package io.wellkeeper.zookeeper;

import static io.wellkeeper.zookeeper.Await.get;
import static io.wellkeeper.zookeeper.Requested.session;
import static io.wellkeeper.zookeeper.Requested.ticket;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketInfo;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketRequest;
import io.wellkeeper.testservers.ZooKeeperProcess;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(SharedServer.class)
class ZooKeeperQueueTest {

    private final ZooKeeperProcess server;
    private final ZooKeeperTicketStore store;
    private Session a;
    private Session b;
    private String name = "";

    ZooKeeperQueueTest(ZooKeeperProcess server) {
        this.server = server;
        this.store = ZooKeeperTicketStore.of(SharedServer.uri(server, ""));
        this.a = session(store);
        this.b = session(store);
    }

    @BeforeEach
    void name(TestInfo test) {
        name = "queue/" + test.getDisplayName();
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void take_severalSessions_seesEverybodyAheadInOrder() {
        Place first = get(a.queue(name).take(ticket()));
        Place second = get(b.queue(name).take(new TicketRequest("s1", Mode.SHARED, 5, "")));
        Place third = get(a.queue(name).take(ticket()));

        assertThat(first.ahead()).isEmpty();
        assertThat(second.ahead()).containsExactly(first.ticket());
        assertThat(third.ahead()).containsExactly(first.ticket(), second.ticket());
        assertThat(List.of(first.token(), second.token(), third.token()))
                .isSorted()
                .doesNotHaveDuplicates();
        assertThat(third.ahead().get(1))
                .returns(b.id(), Ticket::session)
                .returns(Mode.SHARED, Ticket::mode)
                .returns(5, Ticket::permits);
    }

    @Test
    void take_afterTheQueueWasRemoved_numbersBeginAnewButTheTokenGrows() throws Exception {
        Place before = get(a.queue(name).take(ticket()));
        get(a.queue(name).remove(before.ticket()));
        String parent =
                Site.of("", "", ZooKeeperStoreOptions.defaults(), "locks").path(name);
        try (ZooKeeper admin = admin()) {
            admin.delete(parent, -1);
        }

        Place after = get(a.queue(name).take(ticket()));

        assertThat(after.ticket().number()).isZero();
        assertThat(after.token()).isGreaterThan(before.token());
    }

    @Test
    void take_foreignChildrenInTheQueue_areIgnored() throws Exception {
        Place mine = get(a.queue(name).take(ticket()));
        get(a.queue(name).remove(mine.ticket()));
        String parent =
                Site.of("", "", ZooKeeperStoreOptions.defaults(), "locks").path(name);
        try (ZooKeeper admin = admin()) {
            for (String foreign : List.of("0", "zzz", "_c_1-lock-0000000000", "x-y-x1-0000000000x")) {
                admin.create(parent + "/" + foreign, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
            }

            assertThat(get(a.queue(name).take(ticket())).ahead()).isEmpty();
            assertThat(get(a.queue(name).tickets())).hasSize(1);
        }
    }

    @Test
    void removeThenTake_byOneThread_areCarriedOutInThisOrder() {
        Place first = get(a.queue(name).take(ticket()));
        a.queue(name).remove(first.ticket());
        Place second = get(a.queue(name).take(ticket()));

        assertThat(second.ahead()).isEmpty();
    }

    @Test
    void remove_twice_saysWhichCallDidIt() {
        Ticket ticket = get(a.queue(name).take(ticket())).ticket();

        assertThat(get(b.queue(name).remove(ticket))).isTrue();
        assertThat(get(a.queue(name).remove(ticket))).isFalse();
    }

    @Test
    void remove_whatIsNoTicket_isRefused() {
        Ticket forged = new Ticket(1, "../other.lock/s-r-x1-0000000001", "s", Mode.EXCLUSIVE, 1);

        assertThatThrownBy(() -> a.queue(name).remove(forged)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void inspect_twoTickets_showsWhatTheirOwnersWrote() {
        Instant before = Instant.now().minusSeconds(1);
        get(a.queue(name).take(new TicketRequest("i1", Mode.EXCLUSIVE, 1, "první 锁")));
        get(b.queue(name).take(new TicketRequest("i2", Mode.SHARED, 1, "")));

        List<TicketInfo> infos = get(b.queue(name).inspect());

        assertThat(infos).extracting(TicketInfo::metadata).containsExactly("první 锁", "");
        assertThat(infos)
                .allSatisfy(info ->
                        assertThat(info.since()).isBetween(before, Instant.now().plusSeconds(1)));
    }

    @Test
    void names_variousPrefixes_findsLocksInUseOnly() {
        String prefix = name + "/";
        List<String> names =
                List.of(prefix + "a", prefix + "a/b", prefix + "a//c", prefix + "zámek-锁-\ud83d\udd12", prefix);
        names.forEach(each -> get(a.queue(each).take(ticket())));
        Place released = get(a.queue(prefix + "gone").take(ticket()));
        get(a.queue(prefix + "gone").remove(released.ticket()));

        assertThat(get(b.names(prefix))).containsExactlyInAnyOrderElementsOf(names);
        assertThat(get(b.names(prefix + "a/"))).containsExactlyInAnyOrder(prefix + "a/b", prefix + "a//c");
        assertThat(get(b.names(prefix + "nothing"))).isEmpty();
        assertThat(get(b.names(""))).containsAll(names);
    }

    @Test
    void take_everyHostileName_isALockOfItsOwn() {
        List<String> names = LockPathsTest.hostileNames();
        List<CompletionStage<Place>> places =
                names.stream().map(each -> a.queue(each).take(ticket())).toList();

        assertThat(places).allSatisfy(place -> assertThat(get(place).ahead()).isEmpty());
        assertThat(get(b.names(""))).containsAll(names);
    }

    @Test
    void onDeparture_ofTheLivingAndTheGone_tellsBoth() {
        Ticket living = get(a.queue(name).take(ticket())).ticket();
        Ticket gone = get(a.queue(name).take(ticket())).ticket();
        get(a.queue(name).remove(gone));
        Told told = new Told();

        b.queue(name).onDeparture(List.of(living, gone), told);
        await().untilAsserted(() -> assertThat(told.all).containsExactly("departed " + gone.id()));
        get(a.queue(name).remove(living));

        await().untilAsserted(
                        () -> assertThat(told.all).containsExactly("departed " + gone.id(), "departed " + living.id()));
        assertThat(server.watchCount()).isZero();
    }

    @Test
    void onDeparture_twoWaitForOneTicket_closingOneLeavesTheOther() {
        Ticket ticket = get(a.queue(name).take(ticket())).ticket();
        Told first = new Told();
        Told second = new Told();
        Registration one = b.queue(name).onDeparture(List.of(ticket), first);
        b.queue(name).onDeparture(List.of(ticket), second);
        one.close();
        one.close();
        get(a.queue(name).remove(ticket));

        await().untilAsserted(() -> assertThat(second.all).containsExactly("departed " + ticket.id()));
        assertThat(first.all).isEmpty();
        assertThat(server.watchCount()).isZero();
    }

    @Test
    void onDeparture_closed_leavesNoWatchAtTheServer() {
        Ticket ticket = get(a.queue(name).take(ticket())).ticket();
        Told told = new Told();
        Registration registration = b.queue(name).onDeparture(List.of(ticket), told);
        get(b.heartbeat());
        assertThat(server.watchCount()).isEqualTo(1);

        registration.close();
        get(b.heartbeat());

        assertThat(server.watchCount()).isZero();
        get(a.queue(name).remove(ticket));
        get(b.heartbeat());
        assertThat(told.all).isEmpty();
    }

    @Test
    void onDeparture_closedAndRegisteredAgain_isTold() {
        Ticket ticket = get(a.queue(name).take(ticket())).ticket();
        Told told = new Told();
        b.queue(name).onDeparture(List.of(ticket), new Told()).close();
        b.queue(name).onDeparture(List.of(ticket), told);
        get(a.queue(name).remove(ticket));

        await().untilAsserted(() -> assertThat(told.all).containsExactly("departed " + ticket.id()));
    }

    @Test
    void onDeparture_dataOfTheTicketIsChanged_theWatchIsSetAgain() throws Exception {
        Ticket ticket = get(a.queue(name).take(ticket())).ticket();
        Told told = new Told();
        b.queue(name).onDeparture(List.of(ticket), told);
        get(b.heartbeat());
        try (ZooKeeper admin = admin()) {
            String parent =
                    Site.of("", "", ZooKeeperStoreOptions.defaults(), "locks").path(name);
            admin.setData(parent + "/" + ticket.id(), "x".getBytes(StandardCharsets.UTF_8), -1);
        }
        await().until(() -> server.watchCount() == 1);
        assertThat(told.all).isEmpty();
        get(a.queue(name).remove(ticket));

        await().untilAsserted(() -> assertThat(told.all).containsExactly("departed " + ticket.id()));
    }

    @Test
    void alone_somebodyComesLater_isToldOnce() {
        TicketQueue queue = a.queue(name);
        Ticket mine = get(queue.take(ticket())).ticket();
        Told told = new Told();

        assertThat(get(queue.alone(mine, told))).isTrue();
        get(b.queue(name).take(ticket()));
        await().untilAsserted(() -> assertThat(told.all).containsExactly("run"));
        get(b.queue(name).take(ticket()));
        get(queue.remove(mine));
        get(a.heartbeat());

        assertThat(told.all).containsExactly("run");
        assertThat(server.watchCount()).isZero();
    }

    @Test
    void alone_somebodyIsThere_saysSoAndTellsNothing() {
        Ticket mine = get(a.queue(name).take(ticket())).ticket();
        get(b.queue(name).take(ticket()));
        Told told = new Told();

        assertThat(get(a.queue(name).alone(mine, told))).isFalse();
        get(b.queue(name).take(ticket()));
        get(a.heartbeat());

        assertThat(told.all).isEmpty();
        assertThat(server.watchCount()).isZero();
    }

    @Test
    void alone_mineIsRemoved_isForgottenAndLeavesNoWatch() {
        Ticket mine = get(a.queue(name).take(ticket())).ticket();
        Told told = new Told();
        assertThat(get(a.queue(name).alone(mine, told))).isTrue();

        get(a.queue(name).remove(mine));
        get(a.heartbeat());
        assertThat(server.watchCount()).isZero();
        get(b.queue(name).take(ticket()));
        get(a.heartbeat());

        assertThat(told.all).isEmpty();
    }

    @Test
    void heartbeat_regular_provesAndIsGoodForHalfTheTimeout() {
        get(a.heartbeat());

        assertThat(a.validity()).isEqualTo(Duration.ofSeconds(5));
        assertThat(a.heartbeatInterval()).isEqualTo(Duration.ofMillis(1250));
    }

    private ZooKeeper admin() throws Exception {
        return new ZooKeeper(server.address(), 10_000, event -> {});
    }
}
