package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketInfo;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/**
 * The rules of {@link io.wellkeeper.spi.Session} and {@link TicketQueue} beyond the laws of
 * {@link TicketStoreContract}.
 */
abstract class TicketQueueContract extends TicketStoreKit {

    @Test
    void take_withModeAndPermits_everyReaderSeesThem() throws Exception {
        Client owner = open();
        Client reader = open();
        TicketRequest shared = request(Mode.SHARED, 1, "");
        TicketRequest large = request(Mode.EXCLUSIVE, 7, "");
        Ticket first = Await.get(owner.queue(name).take(shared)).ticket();
        Ticket second = Await.get(owner.queue(name).take(large)).ticket();

        for (Ticket seen : List.of(
                first, tickets(reader, name).get(0), reader.take(name).ahead().get(0))) {
            assertThat(seen.mode()).isEqualTo(Mode.SHARED);
            assertThat(seen.permits()).isEqualTo(1);
            assertThat(seen.session()).isEqualTo(owner.session().id());
        }
        for (Ticket seen : List.of(second, tickets(reader, name).get(1))) {
            assertThat(seen.mode()).isEqualTo(Mode.EXCLUSIVE);
            assertThat(seen.permits()).isEqualTo(7);
        }
    }

    @Test
    void take_afterRemoveByTheSameThread_isCarriedOutAfterIt() throws Exception {
        Client owner = open();
        TicketQueue queue = owner.queue(name);
        Ticket last = owner.take(name).ticket();
        for (int i = 0; i < 20; i++) {
            CompletionStage<Boolean> removed = queue.remove(last);
            CompletionStage<Place> taken = queue.take(request());

            assertThat(Await.get(taken).ahead()).isEmpty();
            assertThat(Await.get(removed)).isTrue();
            last = Await.get(taken).ticket();
        }
    }

    @Test
    void take_manyOfANewNameByOneThread_areNumberedInTheOrderOfTheCalls() throws Exception {
        TicketQueue queue = open().queue(name + "/many");
        List<CompletionStage<Place>> places = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            places.add(queue.take(request()));
        }

        assertThat(numbers(places)).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void take_manyWhileConnectionIsCut_areNumberedInTheOrderOfTheCalls() throws Exception {
        Client owner = open();
        owner.take(name);
        fixture.cut(owner.store());
        List<CompletionStage<Place>> places = new ArrayList<>();
        Await.until("some pauses between the calls", () -> {
            places.add(owner.queue(name).take(request()));
            return places.size() == 20;
        });
        fixture.mend(owner.store());

        assertThat(numbers(places)).isSorted().doesNotHaveDuplicates();
    }

    private static List<Long> numbers(List<CompletionStage<Place>> places) {
        return places.stream().map(place -> Await.get(place).ticket().number()).toList();
    }

    @Test
    void take_underHostileNames_everyNameIsAQueueOfItsOwn() throws Exception {
        Client owner = open();
        Client reader = open();
        Set<String> used = new HashSet<>();
        List<String> names = new ArrayList<>(HostileNames.ALL);
        names.addAll(HostileNames.UNTAGGED);
        for (String hostile : names) {
            used.add(hostile);
            Place place = owner.take(hostile);
            assertThat(place.ahead()).as("ahead of '%s'", hostile).isEmpty();
            assertThat(tickets(reader, hostile)).as("tickets of '%s'", hostile).containsExactly(place.ticket());
        }
        assertThat(Await.get(reader.session().names(""))).containsAll(used);
    }

    @Test
    void names_withPrefix_showsThoseInUse() throws Exception {
        Client owner = open();
        List.of(name + "/1", name + "/2", name + "0").forEach(owner::take);
        Session session = open().session();

        assertThat(Await.get(session.names(name + "/"))).containsExactlyInAnyOrder(name + "/1", name + "/2");
        assertThat(Await.get(session.names(name))).containsExactlyInAnyOrder(name + "/1", name + "/2", name + "0");
        assertThat(Await.get(session.names("%" + name))).isEmpty();
        assertThat(Await.get(session.names(name.replace('-', '_')))).isEmpty();
    }

    @Test
    void tickets_ofUnusedName_isEmpty() throws Exception {
        assertThat(tickets(open(), name)).isEmpty();
        assertThat(Await.get(open().queue(name).inspect())).isEmpty();
    }

    @Test
    void inspect_metadata_isShownAsWritten() throws Exception {
        Client owner = open();
        String odd = "{\"k\":\"\u00e9\ud83d\udd12\\n\"}\n'--\"<script>\t";
        String longest = "m".repeat(16 * 1024);
        Await.get(owner.queue(name).take(request(Mode.EXCLUSIVE, 1, odd)));
        Await.get(owner.queue(name).take(request(Mode.EXCLUSIVE, 1, longest)));
        Await.get(owner.queue(name).take(request(Mode.EXCLUSIVE, 1, "")));

        List<TicketInfo> seen = Await.get(open().queue(name).inspect());

        assertThat(seen.stream().map(TicketInfo::metadata)).containsExactly(odd, longest, "");
        assertThat(seen.stream().map(TicketInfo::ticket)).isSorted().isEqualTo(tickets(owner, name));
        assertThat(seen.stream().map(TicketInfo::since)).isSorted();
    }

    @Test
    void inspect_takenForTheFirstTime_showsTheToken() throws Exception {
        List<Place> taken = List.of(open().take(name), open().take(name));

        assertThat(Await.get(open().queue(name).inspect()))
                .extracting(TicketInfo::token)
                .containsExactlyElementsOf(taken.stream()
                        .map(place -> OptionalLong.of(place.token()))
                        .toList());
    }

    @Test
    void inspect_takenAgainAndAgain_showsNoOtherTokenThanTheTickets() throws Exception {
        Client owner = open();
        for (int i = 0; i < 20; i++) {
            Place mine = owner.take(name);

            assertThat(Await.get(open().queue(name).inspect()))
                    .singleElement()
                    .satisfies(info ->
                            assertThat(info.token().orElse(mine.token())).isEqualTo(mine.token()));

            // does not wait for the answer, so the next take may go together with it
            owner.queue(name).remove(mine.ticket());
        }
    }

    @Test
    void remove_byAnotherSession_removesAndOwnerIsTold() throws Exception {
        Client owner = open();
        Client stranger = open();
        Ticket mine = owner.take(name).ticket();
        DepartureProbe probe = watch(owner, name, mine);
        tickets(owner, name);

        assertThat(Await.get(stranger.queue(name).remove(tickets(stranger, name).get(0))))
                .isTrue();

        probe.awaitDeparture(owner.queue(name), mine);
        assertThat(Await.get(owner.queue(name).remove(mine))).isFalse();
    }

    @Test
    void remove_ofOne_leavesTheOthersInOrder() throws Exception {
        Client owner = open();
        Ticket first = owner.take(name).ticket();
        Ticket second = owner.take(name).ticket();
        Ticket third = owner.take(name).ticket();

        Await.get(owner.queue(name).remove(second));

        assertThat(tickets(owner, name)).containsExactly(first, third);
        assertThat(owner.take(name).ahead()).containsExactly(first, third);
    }

    @Test
    void onDeparture_closed_leavesNothingAndMayBeRepeated() throws Exception {
        Client owner = open();
        Client watcher = open();
        Ticket ticket = owner.take(name).ticket();
        DepartureProbe open = watch(watcher, name, ticket);
        tickets(watcher, name);
        int before = leftovers().size();
        DepartureProbe closed = new DepartureProbe();
        Registration registration = watcher.queue(name).onDeparture(List.of(ticket), closed);
        registration.close();
        registration.close();
        Await.until(() -> "no watch is left: " + leftovers(), () -> leftovers().size() == before);

        Await.get(owner.queue(name).remove(ticket));
        open.awaitDeparture(watcher.queue(name), ticket);

        assertThat(closed.certain()).isEmpty();
    }

    @Test
    void onDeparture_byManyWatchers_eachIsTold() throws Exception {
        Client owner = open();
        Ticket ticket = owner.take(name).ticket();
        List<Client> watchers = List.of(open(), open(), open());
        List<DepartureProbe> probes =
                watchers.stream().map(watcher -> watch(watcher, name, ticket)).toList();

        Await.get(owner.queue(name).remove(ticket));

        for (int i = 0; i < probes.size(); i++) {
            probes.get(i).awaitDeparture(watchers.get(i).queue(name), ticket);
        }
    }

    @Test
    void onDeparture_sessionOfTicketIsClosed_isReported() throws Exception {
        Client owner = open();
        Client watcher = open();
        Ticket ticket = owner.take(name).ticket();
        DepartureProbe probe = watch(watcher, name, ticket);
        tickets(watcher, name);

        Await.get(owner.session().close());

        probe.awaitDeparture(watcher.queue(name), ticket);
        assertThat(tickets(watcher, name)).isEmpty();
    }

    @Test
    void alone_nobodyBehind_isTrueAndToldOfNewcomer() throws Exception {
        Client owner = open();
        Ticket mine = owner.take(name).ticket();
        CompletableFuture<String> arrived = new CompletableFuture<>();

        assertThat(Await.get(owner.queue(name).alone(mine, () -> arrived.complete("told"))))
                .isTrue();
        open().take(name);

        assertThat(Await.get(arrived)).isEqualTo("told");
    }

    @Test
    void alone_racingWithNewcomer_isFalseOrToldOfIt() throws Exception {
        Client owner = open();
        Client newcomer = open();
        for (int i = 0; i < 50; i++) {
            Ticket mine = owner.take(name).ticket();
            CompletableFuture<String> arrived = new CompletableFuture<>();
            CompletionStage<Place> taken = newcomer.queue(name).take(request());
            CompletionStage<Boolean> alone = owner.queue(name).alone(mine, () -> arrived.complete("told"));

            if (Await.get(alone) && !Await.get(taken).ahead().isEmpty()) {
                Await.get(arrived);
            }
            Await.get(owner.queue(name).remove(mine));
            Await.get(newcomer.queue(name).remove(Await.get(taken).ticket()));
        }
    }

    @Test
    void alone_anotherSessionBehind_isFalse() throws Exception {
        Client owner = open();
        Ticket mine = owner.take(name).ticket();
        open().take(name);

        assertThat(Await.get(owner.queue(name).alone(mine, () -> {}))).isFalse();
    }

    @Test
    void alone_onlyOwnTicketBehindAndOthersAhead_isTrue() throws Exception {
        Client owner = open();
        open().take(name);
        Ticket mine = owner.take(name).ticket();
        owner.take(name);

        assertThat(Await.get(owner.queue(name).alone(mine, () -> {}))).isTrue();
    }

    @Test
    void session_figures_leaveRoomForHeartbeats() throws Exception {
        Client client = open();
        Session session = client.session();

        assertThat(session.validity()).isPositive().isLessThanOrEqualTo(fixture.longTimeout());
        assertThat(session.heartbeatInterval()).isPositive();
        assertThat(session.heartbeatInterval().multipliedBy(3)).isLessThanOrEqualTo(session.validity());
        assertThat(session.id()).isNotEqualTo(open().session().id());
    }

    @Test
    void heartbeat_inTime_sessionOutlivesItsTimeout() throws Exception {
        Client owner = open(fixture.shortTimeout());
        Ticket ticket = owner.take(name).ticket();
        Duration lifetime = fixture.shortTimeout().multipliedBy(2);
        long start = System.nanoTime();
        Await.until("twice the timeout is over", () -> {
            Await.get(owner.session().heartbeat());
            return System.nanoTime() - start > lifetime.toNanos();
        });

        assertThat(tickets(owner, name)).containsExactly(ticket);
        assertThat(owner.told().lost).hasValue(0);
    }

    @Test
    void close_ofSession_isNotToldAndMayBeRepeated() throws Exception {
        Client owner = open();
        Client other = open();
        owner.take(name);
        Ticket theirs = other.take(name).ticket();

        Await.get(owner.session().close());
        Await.get(owner.session().close());

        assertThat(tickets(other, name)).containsExactly(theirs);
        assertThat(owner.told().lost).hasValue(0);
    }
}
