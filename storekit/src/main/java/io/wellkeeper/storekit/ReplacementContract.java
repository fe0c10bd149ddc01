package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketInfo;
import io.wellkeeper.spi.TicketQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/**
 * The rules of {@link TicketQueue} for {@link TicketQueue#replace replace} and {@link TicketQueue#describe describe}.
 */
abstract class ReplacementContract extends TicketStoreKit {

    private static final int ROUNDS = 30;

    private Ticket take(Client client, Mode mode, int permits) {
        return Await.get(client.queue(name).take(request(mode, permits, "written")))
                .ticket();
    }

    private Ticket replace(Client client, Ticket mine, Mode mode, int permits) {
        return Await.get(client.queue(name).replace(mine, mode, permits));
    }

    private List<String> metadata(Client reader) {
        return Await.get(reader.queue(name).inspect()).stream()
                .map(TicketInfo::metadata)
                .toList();
    }

    @Test
    void replace_byMilderMode_everyReaderSeesItInTheSamePlace() throws Exception {
        Client owner = open();
        Client reader = open();
        Ticket first = take(reader, Mode.EXCLUSIVE, 1);
        Ticket write = take(owner, Mode.WRITE, 2);
        Ticket last = take(reader, Mode.EXCLUSIVE, 1);
        for (Mode mode : List.of(Mode.WRITE, Mode.SHARED)) {
            Ticket old = tickets(owner, name).get(1);
            Ticket milder = replace(owner, old, mode, 1);

            assertThat(milder).isNotEqualTo(old);
            assertThat(tickets(reader, name)).containsExactly(first, milder, last);
            Place behind = reader.take(name);
            assertThat(behind.ahead()).containsExactly(first, milder, last);
            Await.get(reader.queue(name).remove(behind.ticket()));
            for (Ticket shown :
                    List.of(milder, tickets(reader, name).get(1), behind.ahead().get(1))) {
                assertThat(shown.number()).isEqualTo(write.number());
                assertThat(shown.session()).isEqualTo(owner.session().id());
                assertThat(shown.mode()).isEqualTo(mode);
                assertThat(shown.permits()).isEqualTo(1);
            }
        }
    }

    @Test
    void replace_byFewerPermits_onlyTheNewOneCanBeRemoved() throws Exception {
        Client owner = open();
        Client reader = open();
        Ticket old = take(owner, Mode.EXCLUSIVE, 7);
        Ticket smaller = replace(owner, old, Mode.EXCLUSIVE, 3);

        assertThat(tickets(reader, name)).extracting(Ticket::permits).containsExactly(3);
        assertThat(Await.get(owner.queue(name).remove(old))).isFalse();
        assertThat(tickets(reader, name)).containsExactly(smaller);
        assertThat(Await.get(owner.queue(name).remove(smaller))).isTrue();
        assertThat(tickets(reader, name)).isEmpty();
    }

    @Test
    void replace_whileOthersLook_neverShowsNeitherOrBoth() throws Exception {
        Client owner = open();
        Client reader = open();
        Ticket mine = take(owner, Mode.EXCLUSIVE, ROUNDS);
        for (int permits = ROUNDS - 1; permits > 0; permits--) {
            CompletionStage<Ticket> replaced = owner.queue(name).replace(mine, Mode.EXCLUSIVE, permits);
            List<CompletionStage<List<Ticket>>> looks = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                looks.add(reader.queue(name).tickets());
            }
            for (CompletionStage<List<Ticket>> look : looks) {
                assertThat(Await.get(look)).hasSize(1);
            }
            mine = Await.get(replaced);
        }
    }

    @Test
    void replace_watched_everyWatcherIsToldOfTheOldOneOnly() throws Exception {
        Client owner = open();
        List<Client> watchers = List.of(open(), open());
        Ticket old = take(owner, Mode.WRITE, 1);
        List<DepartureProbe> probes =
                watchers.stream().map(watcher -> watch(watcher, name, old)).toList();

        Ticket milder = replace(owner, old, Mode.SHARED, 1);

        for (int i = 0; i < probes.size(); i++) {
            probes.get(i).awaitDeparture(watchers.get(i).queue(name), old);
        }
        DepartureProbe probe = watch(watchers.get(0), name, milder);
        tickets(watchers.get(0), name);
        assertThat(probe.certain()).isEmpty();
        Await.get(owner.queue(name).remove(milder));
        probe.awaitDeparture(watchers.get(0).queue(name), milder);
    }

    @Test
    void replace_metadata_isCarriedOver() throws Exception {
        Client owner = open();
        Ticket two = take(owner, Mode.WRITE, 2);
        Ticket one = replace(owner, two, Mode.WRITE, 1);
        assertThat(metadata(open())).containsExactly("written");

        owner.queue(name).describe(one, "written again");
        replace(owner, one, Mode.SHARED, 1);

        assertThat(metadata(open())).containsExactly("written again");
    }

    @Test
    void replace_ofTicketGoneBefore_failsAndTakesNoPlace() throws Exception {
        Client owner = open();
        Client stranger = open();
        Ticket old = take(owner, Mode.WRITE, 1);
        Await.get(stranger.queue(name).remove(old));

        assertThatThrownBy(() -> replace(owner, old, Mode.SHARED, 1)).isInstanceOf(LockStoreException.class);
        assertThat(tickets(stranger, name)).isEmpty();
    }

    @Test
    void replace_replyLost_isFoundOut() throws Exception {
        Client owner = open();
        Ticket old = take(owner, Mode.WRITE, 1);
        fixture.loseNextReplyOfReplace();

        Ticket milder = replace(owner, old, Mode.SHARED, 1);

        assertThat(milder.mode()).isEqualTo(Mode.SHARED);
        assertThat(tickets(open(), name)).containsExactly(milder);
    }

    @Test
    void replace_whileConnectionIsCut_isKnownAfterwards() throws Exception {
        Client owner = open();
        Ticket first = take(owner, Mode.WRITE, 1);
        Ticket second = take(owner, Mode.WRITE, 1);
        CompletionStage<Ticket> underWay = owner.queue(name).replace(first, Mode.SHARED, 1);
        fixture.cut(owner.store());
        CompletionStage<Ticket> late = owner.queue(name).replace(second, Mode.SHARED, 1);
        fixture.mend(owner.store());

        assertThat(List.of(Await.get(underWay), Await.get(late)))
                .isEqualTo(tickets(open(), name))
                .extracting(Ticket::mode)
                .containsOnly(Mode.SHARED);
    }

    @Test
    void replace_sessionEnds_newTicketDeparts() throws Exception {
        Client owner = open();
        Client watcher = open();
        Ticket milder = replace(owner, take(owner, Mode.WRITE, 1), Mode.SHARED, 1);
        DepartureProbe probe = watch(watcher, name, milder);
        tickets(watcher, name);

        Await.get(owner.session().close());

        probe.awaitDeparture(watcher.queue(name), milder);
        assertThat(tickets(watcher, name)).isEmpty();
    }

    @Test
    void replace_whileAlone_ownerIsStillToldOfNewcomer() throws Exception {
        Client owner = open();
        Ticket old = take(owner, Mode.WRITE, 1);
        CompletableFuture<String> arrived = new CompletableFuture<>();
        assertThat(Await.get(owner.queue(name).alone(old, () -> arrived.complete("told"))))
                .isTrue();

        Ticket milder = replace(owner, old, Mode.SHARED, 1);
        open().take(name);

        assertThat(Await.get(arrived)).isEqualTo("told");
        assertThat(Await.get(owner.queue(name).alone(milder, () -> {}))).isFalse();
    }

    @Test
    void describe_ownTicket_isShownAndKeepsItsPlace() throws Exception {
        Client owner = open();
        Client watcher = open();
        Ticket mine = take(owner, Mode.EXCLUSIVE, 1);
        take(owner, Mode.EXCLUSIVE, 1);
        DepartureProbe probe = watch(watcher, name, mine);
        tickets(watcher, name);
        for (String text : List.of("first", "second", "")) {
            Await.get(owner.queue(name).describe(mine, text));

            assertThat(metadata(watcher)).containsExactly(text, "written");
        }
        assertThat(tickets(watcher, name)).startsWith(mine).hasSize(2);
        assertThat(probe.certain()).isEmpty();
        Await.get(owner.queue(name).remove(mine));
        probe.awaitDeparture(watcher.queue(name), mine);
    }

    @Test
    void describe_racingWithRemoval_departureIsReported() throws Exception {
        Client owner = open();
        Client stranger = open();
        Client watcher = open();
        for (int i = 0; i < ROUNDS; i++) {
            Ticket mine = take(owner, Mode.EXCLUSIVE, 1);
            DepartureProbe probe = watch(watcher, name, mine);
            CompletionStage<Void> described = owner.queue(name).describe(mine, "round " + i);
            CompletionStage<Boolean> removed = stranger.queue(name).remove(mine);
            Await.get(described);
            assertThat(Await.get(removed)).isTrue();

            probe.awaitDeparture(watcher.queue(name), mine);
        }
    }

    @Test
    void describe_ofTicketGoneBefore_changesNothing() throws Exception {
        Client owner = open();
        Ticket gone = take(owner, Mode.EXCLUSIVE, 1);
        Await.get(owner.queue(name).remove(gone));
        take(owner, Mode.EXCLUSIVE, 1);

        Await.get(owner.queue(name).describe(gone, "too late"));

        assertThat(metadata(open())).containsExactly("written");
    }
}
