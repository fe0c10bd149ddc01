package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.SessionLostException;
import io.wellkeeper.spi.Ticket;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/**
 * The laws of {@link io.wellkeeper.spi.TicketStore}, each a test. A store's own test extends this and names its fixture;
 * {@link TicketQueueContract}, {@link ReplacementContract} and {@link NoticeContract} have the rest of the SPI.
 */
abstract class TicketStoreContract extends TicketStoreKit {

    private static final int CROWD = 8;
    private static final int ROUNDS = 100;

    @Test
    void take_whileOthersLive_numbersAndTokensGrow() throws Exception {
        Client a = open();
        Client b = open();
        Place first = a.take(name);
        Place second = b.take(name);
        Place third = a.take(name);

        assertThat(List.of(first.ticket(), second.ticket(), third.ticket()))
                .isSorted()
                .isEqualTo(tickets(b, name));
        assertThat(List.of(first.token(), second.token(), third.token())).isSorted();
        assertThat(first.token()).isPositive().isLessThan(second.token());
        assertThat(second.token()).isLessThan(third.token());
    }

    @Test
    void take_whenQueueWasEmptied_tokenStillGrows() throws Exception {
        Client client = open();
        long last = 0;
        for (int i = 0; i < 5; i++) {
            Place place = client.take(name);
            assertThat(place.token()).isGreaterThan(last);
            last = place.token();
            Await.get(client.queue(name).remove(place.ticket()));
        }
        Await.get(client.session().close());

        assertThat(open().take(name).token()).isGreaterThan(last);
    }

    @Test
    void take_afterRestart_tokenStillGrows() throws Exception {
        Client client = open();
        Place place = client.take(name);
        Await.get(client.queue(name).remove(place.ticket()));

        fixture.restart();

        assertThat(open().take(name).token()).isGreaterThan(place.token());
    }

    /** A crash may undo an acknowledged removal. The check after the test finds a ticket that comes back by that. */
    @Test
    void close_rightAfterRestart_nothingGivenBackIsLeft() throws Exception {
        Client client = open();
        Await.get(client.queue(name).remove(client.take(name).ticket()));

        fixture.restart();
        client.session().close();
    }

    @Test
    void take_byManyAtOnce_eachSeesEveryoneAhead() throws Exception {
        List<Client> crowd = new ArrayList<>();
        for (int i = 0; i < CROWD; i++) {
            crowd.add(open());
        }
        List<CompletionStage<Place>> pending = new ArrayList<>();
        for (int round = 0; round < 5; round++) {
            for (Client client : crowd) {
                pending.add(client.queue(name).take(request()));
            }
        }
        List<Place> places = new ArrayList<>();
        for (CompletionStage<Place> stage : pending) {
            places.add(Await.get(stage));
        }
        places.sort(Comparator.comparing(Place::ticket));

        List<Ticket> all = places.stream().map(Place::ticket).toList();
        for (int i = 0; i < places.size(); i++) {
            assertThat(places.get(i).ahead()).isEqualTo(all.subList(0, i));
        }
        assertThat(places.stream().map(Place::token).toList()).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void tickets_whileOthersComeAndGo_neverHidesTheLiving() throws Exception {
        Client passer = open();
        Client reader = open();
        Ticket early = passer.take(name).ticket();
        Ticket living = open().take(name).ticket();
        Await.get(passer.queue(name).remove(early));
        for (int i = 0; i < ROUNDS; i++) {
            CompletionStage<Place> coming = passer.queue(name).take(request());
            CompletionStage<List<Ticket>> seen = reader.queue(name).tickets();
            Ticket passing = Await.get(coming).ticket();
            CompletionStage<Boolean> going = passer.queue(name).remove(passing);

            assertThat(Await.get(coming).ahead()).contains(living);
            assertThat(Await.get(seen)).contains(living);
            assertThat(tickets(reader, name)).contains(living);
            assertThat(Await.get(going)).isTrue();
        }
    }

    @Test
    void onDeparture_ofTicketGoneBefore_isReported() throws Exception {
        Client owner = open();
        Client watcher = open();
        Ticket gone = owner.take(name).ticket();
        watcher.take(name);
        Await.get(owner.queue(name).remove(gone));

        watch(watcher, name, gone).awaitDeparture(watcher.queue(name), gone);
    }

    @Test
    void onDeparture_racingWithRemoval_isReported() throws Exception {
        Client owner = open();
        Client watcher = open();
        watcher.take(name);
        for (int i = 0; i < ROUNDS; i++) {
            Ticket going = owner.take(name).ticket();
            CompletionStage<Boolean> removed = owner.queue(name).remove(going);
            DepartureProbe probe = watch(watcher, name, going);
            assertThat(Await.get(removed)).isTrue();

            probe.awaitDeparture(watcher.queue(name), going);
        }
    }

    @Test
    void onDeparture_ofLivingTickets_reportsEachAndNoOther() throws Exception {
        Client owner = open();
        Client watcher = open();
        Ticket first = owner.take(name).ticket();
        Ticket second = owner.take(name).ticket();
        Ticket staying = owner.take(name).ticket();
        DepartureProbe probe = watch(watcher, name, first, second, staying);

        Await.get(owner.queue(name).remove(second));
        probe.awaitDeparture(watcher.queue(name), second);
        Await.get(owner.queue(name).remove(first));
        probe.awaitDeparture(watcher.queue(name), first);

        assertThat(probe.certain()).isSubsetOf(first, second);
    }

    @Test
    void onDeparture_whileConnectionIsCut_isReportedAfterwards() throws Exception {
        Client owner = open();
        Client watcher = open();
        Ticket going = owner.take(name).ticket();
        DepartureProbe probe = watch(watcher, name, going);
        tickets(watcher, name);

        fixture.cut(watcher.store());
        Await.get(owner.queue(name).remove(going));
        fixture.mend(watcher.store());

        probe.awaitDeparture(watcher.queue(name), going);
    }

    @Test
    void remove_again_isFalse() throws Exception {
        Client owner = open();
        Ticket ticket = owner.take(name).ticket();

        assertThat(Await.get(owner.queue(name).remove(ticket))).isTrue();
        assertThat(Await.get(owner.queue(name).remove(ticket))).isFalse();
        assertThat(Await.get(open().queue(name).remove(ticket))).isFalse();
    }

    @Test
    void remove_ofTicketGoneBefore_leavesSuccessorAlone() throws Exception {
        Client owner = open();
        Client successor = open();
        Ticket gone = owner.take(name).ticket();
        Await.get(owner.queue(name).remove(gone));
        Ticket living = successor.take(name).ticket();

        assertThat(Await.get(owner.queue(name).remove(gone))).isFalse();
        assertThat(tickets(successor, name)).containsExactly(living);
        assertThat(living).isNotEqualTo(gone);
    }

    @Test
    void remove_byManyAtOnce_isTrueForOne() throws Exception {
        Ticket ticket = open().take(name).ticket();
        List<CompletionStage<Boolean>> removals = new ArrayList<>();
        for (int i = 0; i < CROWD; i++) {
            removals.add(open().queue(name).remove(ticket));
        }

        assertThat(removals.stream().filter(removal -> Await.get(removal)).count())
                .isEqualTo(1);
    }

    @Test
    void session_whenItEnds_ticketsDepartAndOwnerKnows() throws Exception {
        Client owner = open();
        Client watcher = open();
        Ticket ticket = owner.take(name).ticket();
        DepartureProbe probe = watch(watcher, name, ticket);

        fixture.expire(owner.store(), owner.session());

        probe.awaitDeparture(watcher.queue(name), ticket);
        awaitLoss(owner.session());
        assertThatThrownBy(() -> owner.take(name)).isInstanceOf(SessionLostException.class);
        Await.until("listener told of the loss", () -> owner.told().lost.get() > 0);
        assertThat(owner.told().lost).hasValue(1);
    }

    @Test
    void session_cutOff_ticketsDepartNotBeforeItsValidityIsOver() throws Exception {
        Client owner = open(fixture.shortTimeout());
        Client watcher = open();
        Ticket ticket = owner.take(name).ticket();
        DepartureProbe probe = watch(watcher, name, ticket);
        tickets(watcher, name);
        long sent = System.nanoTime();
        Await.get(owner.session().heartbeat());

        fixture.cut(owner.store());
        probe.awaitDeparture(watcher.queue(name), ticket);

        long departedAfter = System.nanoTime() - sent;
        assertThat(departedAfter)
                .isGreaterThanOrEqualTo(owner.session().validity().toNanos());
        fixture.mend(owner.store());
        awaitLoss(owner.session());
    }

    /**
     * Waits until a heartbeat says that the session is lost. Until the store is reached again, it may fail with another
     * error.
     */
    private static void awaitLoss(Session session) {
        Await.until("heartbeat told of the loss", () -> {
            try {
                Await.get(session.heartbeat());
            } catch (SessionLostException lost) {
                return true;
            } catch (LockStoreException notReached) {
                return false;
            }
            throw new AssertionError("a heartbeat succeeded though the session has ended");
        });
    }

    @Test
    void take_replyLost_isFoundAgain() throws Exception {
        Client owner = open();
        Client other = open();
        Ticket before = other.take(name).ticket();
        fixture.loseNextReplyOfTake();

        Place found = owner.take(name);

        assertThat(found.ahead()).containsExactly(before);
        assertThat(tickets(other, name)).containsExactly(before, found.ticket());
        assertThat(other.take(name).token()).isGreaterThan(found.token());
    }

    @Test
    void take_whileConnectionIsCut_isOnePlaceAfterwards() throws Exception {
        Client owner = open();
        CompletionStage<Place> underWay = owner.queue(name).take(request());
        fixture.cut(owner.store());
        CompletionStage<Place> late = owner.queue(name).take(request());
        fixture.mend(owner.store());

        assertThat(List.of(Await.get(underWay).ticket(), Await.get(late).ticket()))
                .containsExactlyInAnyOrderElementsOf(tickets(open(), name));
    }

    @Test
    void onDeparture_storeHasLostItsData_tellsTheForgottenOfNoDeparture() throws Exception {
        Client owner = open();
        Client watcher = open();
        Ticket living = owner.take(name).ticket();
        watcher.take(name);
        DepartureProbe probe = watch(watcher, name, living);
        tickets(watcher, name);

        fixture.loseData();
        owner.session().heartbeat(); // a store may notice the loss only by the answer
        watcher.session().heartbeat();

        Await.until(
                "listeners told of the loss",
                () -> owner.told().lost.get() > 0 && watcher.told().lost.get() > 0);
        assertThatThrownBy(() -> tickets(watcher, name)).isInstanceOf(SessionLostException.class);
        awaitLoss(watcher.session());
        assertThat(probe.certain()).isEmpty();
    }

    @Test
    void take_storeHasLostItsData_notBeforeForgottenSessionsHaveEnded() throws Exception {
        Client owner = open(fixture.shortTimeout());
        Place forgotten = owner.take(name);
        long sent = System.nanoTime();
        Await.get(owner.session().heartbeat());

        fixture.loseData();
        Place later = open(fixture.shortTimeout()).take(name); // a store may know only the timeout of this session

        long tookAfter = System.nanoTime() - sent;
        assertThat(tookAfter).isGreaterThanOrEqualTo(owner.session().validity().toNanos());
        assertThat(later.token()).isGreaterThan(forgotten.token());
    }
}
