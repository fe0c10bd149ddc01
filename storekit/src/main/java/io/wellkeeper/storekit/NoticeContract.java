package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.DepartureWatcher;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The rules of {@link TicketQueue} for the notice of a name. */
abstract class NoticeContract extends TicketStoreKit {

    private static final int ROUNDS = 30;
    private static final Duration LONG = Duration.ofMinutes(10);

    /** A reader that reads the notice again when it is told that something may have changed. */
    private static final class Reader implements Runnable {
        private final AtomicInteger told = new AtomicInteger();
        private int heeded; // how many of these messages it has reacted to

        @Override
        public void run() {
            told.incrementAndGet();
        }

        void awaitText(TicketQueue queue, String text) {
            Await.until("word of the notice " + text, () -> {
                int now = told.get();
                boolean news = now != heeded;
                heeded = now;
                return news && Await.get(queue.notice()).text().equals(text);
            });
        }
    }

    private Notice notice(Client client) {
        return Await.get(client.queue(name).notice());
    }

    private boolean post(Client client, Notice seen, String text) {
        return Await.get(client.queue(name).post(seen, text));
    }

    private void post(Client client, String text) {
        assertThat(post(client, notice(client), text)).isTrue();
    }

    /** Takes the notice down, which a name without any ticket would keep. */
    @AfterEach
    void takeDown() throws Exception {
        Client cleaner = open();
        Await.until("no notice is left", () -> {
            Notice left = notice(cleaner);
            return left.text().isEmpty() || post(cleaner, left, "");
        });
    }

    @Test
    void notice_ofUnusedName_isEmpty() throws Exception {
        assertThat(notice(open()).text()).isEmpty();
    }

    @Test
    void notice_ofNameWithTickets_isEmptyUntilPosted() throws Exception {
        Client owner = open();
        owner.take(name);
        assertThat(notice(owner).text()).isEmpty();

        post(owner, "posted");

        assertThat(notice(open()).text()).isEqualTo("posted");
    }

    /** The requests for a ticket, and for the notice right behind it. */
    private record Asked(CompletionStage<Place> place, CompletionStage<Notice> notice) {

        static Asked of(TicketQueue queue) {
            return new Asked(queue.take(request()), queue.notice());
        }

        boolean isAnswered() {
            return place.toCompletableFuture().isDone()
                    && notice.toCompletableFuture().isDone();
        }
    }

    /**
     * A holder relies on a rule in the notice; it must not rely on one that had been replaced before its ticket came.
     */
    private void assertNoneIsOlderThanTheTicket(List<Asked> all, BooleanSupplier isOver) throws Exception {
        Client writer = open();
        List<Long> numbers = new ArrayList<>(); // each drawn right after the notice with its index was posted
        Notice last = notice(writer);
        while (numbers.size() < 10 || !isOver.getAsBoolean()) {
            assertThat(post(writer, last, Integer.toString(numbers.size()))).isTrue();
            last = notice(writer);
            numbers.add(writer.take(name).ticket().number());
        }

        for (Asked asked : all) {
            long mine = Await.get(asked.place).ticket().number();
            long before = numbers.stream().filter(number -> number < mine).count();
            Notice seen = Await.get(asked.notice.handle((notice, lost) -> notice));
            if (seen != null) {
                assertThat(seen.text().isEmpty() ? 0 : Integer.parseInt(seen.text()) + 1L)
                        .as("how many notices had been put up of which ticket %d could know", mine)
                        .isGreaterThanOrEqualTo(before);
            }
        }
    }

    @Test
    void notice_askedForBehindATake_isNoOlderThanTheTicket() throws Exception {
        TicketQueue queue = open().queue(name);
        List<Asked> all = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            all.add(Asked.of(queue));
        }
        Await.get(all.get(0).place); // if there are no tickets, a post may have no effect

        assertNoneIsOlderThanTheTicket(all, () -> all.stream().allMatch(Asked::isAnswered));
    }

    @Test
    void notice_askedForBehindATakeWhileConnectionIsCut_isNoOlderThanTheTicket() throws Exception {
        Client owner = open();
        TicketQueue queue = owner.queue(name);
        List<Asked> all = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            all.add(Asked.of(queue));
        }
        Await.get(all.get(0).place);
        fixture.cut(owner.store());
        fixture.mend(owner.store());

        assertNoneIsOlderThanTheTicket(all, () -> all.stream().allMatch(Asked::isAnswered));
    }

    @Test
    void notice_askedForBehindATakeByWhoIsToldOfAChange_isNoOlderThanTheTicket() throws Exception {
        TicketQueue queue = open().queue(name);
        List<Asked> all = new CopyOnWriteArrayList<>();
        Registration watch = queue.onNotice(() -> all.add(Asked.of(queue)));

        assertNoneIsOlderThanTheTicket(all, () -> all.size() > 100);
        watch.close();
    }

    @Test
    void post_asSeen_isReadByEverybody() throws Exception {
        Client writer = open();
        Client reader = open();
        Notice none = notice(writer);
        assertThat(post(writer, none, "first")).isTrue();
        Notice first = notice(reader);
        assertThat(post(reader, first, "second")).isTrue();
        Notice second = notice(writer);

        assertThat(first.text()).isEqualTo("first");
        assertThat(second.text()).isEqualTo("second");
        assertThat(List.of(none.version(), first.version(), second.version())).doesNotHaveDuplicates();
    }

    @Test
    void post_changedSince_isFalseAndChangesNothing() throws Exception {
        Client writer = open();
        Client late = open();
        Notice none = notice(late);
        post(writer, "first");
        assertThat(post(late, none, "too late")).isFalse();
        Notice first = notice(late);
        post(writer, "second");

        assertThat(post(late, first, "too late")).isFalse();
        assertThat(post(late, first, "")).isFalse();
        assertThat(notice(late).text()).isEqualTo("second");
    }

    @Test
    void post_sameTextMeanwhile_isFalse() throws Exception {
        Client writer = open();
        Client late = open();
        post(writer, "one");
        Notice seen = notice(late);
        post(writer, "");
        post(writer, "one");
        assertThat(post(late, seen, "too late")).isFalse();

        seen = notice(late);
        post(writer, "two");
        post(writer, "one");
        assertThat(post(late, seen, "too late")).isFalse();
        assertThat(notice(late).text()).isEqualTo("one");
    }

    @Test
    void post_answerIsLostAndAnotherIsUpSince_isNotDenied() throws Exception {
        Client late = open();
        Client other = open();
        post(late, "before"); // so that the store has made all that a notice needs
        post(late, "");
        Notice seen = notice(late);
        fixture.deafen(late.store());
        CompletableFuture<Boolean> posting = late.queue(name).post(seen, "mine").toCompletableFuture();
        Await.until("the notice", () -> notice(other).text().equals("mine"));
        post(other, "another's");

        fixture.cut(late.store());
        fixture.mend(late.store());

        boolean denied = Await.get(posting.handle((done, failure) -> failure == null && !done));
        assertThat(denied).isFalse();
    }

    /** By the version a client that does not know whether its notice was posted sees that it may have been. */
    @Test
    void notice_upAndDownMeanwhile_hasAnotherVersion() throws Exception {
        Client client = open();
        Notice before = notice(client);
        for (int round = 0; round < 3; round++) {
            post(client, "up");
            post(client, "");
            Notice after = notice(client);

            assertThat(after.text()).isEmpty();
            assertThat(after.version()).isNotEqualTo(before.version());
            before = after;
        }
    }

    @Test
    void post_byManyAtOnce_isTrueForOne() throws Exception {
        List<Client> crowd = List.of(open(), open(), open(), open());
        for (int round = 0; round < 5; round++) {
            Notice seen = notice(crowd.get(0));
            List<CompletionStage<Boolean>> posts = new ArrayList<>();
            for (Client client : crowd) {
                posts.add(client.queue(name).post(seen, round + " of " + posts.size()));
            }
            List<Boolean> done = posts.stream().map(posted -> Await.get(posted)).toList();

            assertThat(done).containsOnlyOnce(true);
            assertThat(notice(crowd.get(0)).text()).isEqualTo(round + " of " + done.indexOf(true));
        }
    }

    /** Numbers begin anew only if the notice does too. */
    @Test
    void notice_standsWhenTheQueueIsEmpty_numbersGrowAllTheSame() throws Exception {
        Client client = open();
        long last = -1;
        String text = "";
        for (int round = 0; round < 5; round++) {
            Ticket ticket = client.take(name).ticket();
            if (notice(client).text().equals(text)) {
                assertThat(ticket.number()).isGreaterThan(last);
            }
            last = ticket.number();
            text = "round " + round;
            post(client, text);
            assertThat(Await.get(client.queue(name).remove(ticket))).isTrue();
        }
    }

    @Test
    void post_emptyText_takesTheNoticeDown() throws Exception {
        Client writer = open();
        Notice none = notice(writer);
        assertThat(post(writer, none, "")).isTrue();
        post(writer, "posted");
        post(writer, "");

        assertThat(notice(open()).text()).isEmpty();
        post(writer, "posted again");
        assertThat(notice(open()).text()).isEqualTo("posted again");
    }

    @Test
    void post_emptyTextBesideATicket_leavesTheTicketAlone() throws Exception {
        Client owner = open();
        Client writer = open();
        post(writer, "before");
        Ticket ticket = owner.take(name).ticket();
        assertThat(notice(owner).text()).isEqualTo("before");
        post(writer, "");

        assertThat(tickets(writer, name)).containsExactly(ticket);
        assertThat(notice(owner).text()).isEmpty();
        assertThat(owner.take(name).ahead()).containsExactly(ticket);
    }

    @Test
    void post_longText_isReadAsWritten() throws Exception {
        Client writer = open();
        String odd = "{\"k\": \"\\n\"}\n'--\"<script>\t%";
        String longest = "n".repeat(16 * 1024);
        for (String text : List.of(odd, longest, " ")) {
            post(writer, text);
            assertThat(notice(open()).text()).isEqualTo(text);
        }
    }

    @Test
    void notice_ticketsComeAndGo_isKeptWhileOneIsLeft() throws Exception {
        Client owner = open();
        owner.take(name);
        post(owner, "kept");
        Notice seen = notice(owner);
        Client passer = open();
        Ticket passing = passer.take(name).ticket();
        Await.get(passer.queue(name).remove(passing));

        assertThat(notice(passer)).isEqualTo(seen);
        assertThat(post(passer, seen, "and replaced")).isTrue();
    }

    @Test
    void notice_ofNameWithoutTickets_outlivesItsAuthorAndARestart() throws Exception {
        Client author = open();
        post(author, "kept");
        Await.get(author.session().close());
        assertThat(notice(open()).text()).isEqualTo("kept");

        fixture.restart();

        assertThat(notice(open()).text()).isEqualTo("kept");
    }

    @Test
    void onNotice_changes_eachIsTold() throws Exception {
        Client watcher = open();
        Client other = open();
        Reader reader = new Reader();
        watcher.queue(name).onNotice(reader);
        assertThat(notice(watcher).text()).isEmpty();
        for (String text : List.of("up", "changed", "", "up again", "up \u2191\ud83d\udd14")) {
            post(other, text);
            reader.awaitText(watcher.queue(name), text);
        }
        post(watcher, "by itself");
        reader.awaitText(watcher.queue(name), "by itself");
    }

    /** A watcher may read the notice at once when it is told; the store may bring that text in another way. */
    @Test
    void onNotice_textThatIsEasilyConfused_isToldAsWritten() throws Exception {
        Client reader = open();
        TicketQueue queue = reader.queue(name);
        Set<String> read = ConcurrentHashMap.newKeySet();
        Registration watch = queue.onNotice(() -> queue.notice().thenAccept(notice -> read.add(notice.text())));
        notice(reader); // from here on the watch reports changes
        String text = String.join("\n", HostileNames.ALL);

        post(open(), text);

        Await.until("word of the notice", () -> read.contains(text));
        assertThat(notice(reader).text()).isEqualTo(text);
        watch.close();
    }

    @Test
    void onNotice_racingWithPosts_theLastIsReported() throws Exception {
        Client watcher = open();
        Client other = open();
        for (int i = 0; i < ROUNDS; i++) {
            String text = "round " + i;
            Reader reader = new Reader();
            Notice seen = notice(other);
            try (Registration registration = watcher.queue(name).onNotice(reader)) {
                CompletionStage<Notice> read = watcher.queue(name).notice();
                CompletionStage<Boolean> posted = other.queue(name).post(seen, text);
                assertThat(Await.get(posted)).isTrue();
                if (!Await.get(read).text().equals(text)) {
                    reader.awaitText(watcher.queue(name), text);
                }
            }
        }
    }

    /** A waiter that is let in by a departure relies on a rule in the notice. */
    @Test
    void onNotice_changedBeforeADeparture_isToldBeforeIt() throws Exception {
        Client watcher = open();
        Client other = open();
        for (int round = 0; round < ROUNDS; round++) {
            Ticket ticket = other.take(name).ticket();
            Order order = new Order();
            Notice seen = notice(watcher);
            try (Registration notices = watcher.queue(name).onNotice(order)) {
                assertThat(notice(watcher)).isEqualTo(seen); // so the watch is armed
                boolean armedBefore = round % 2 == 0;
                Registration departures =
                        armedBefore ? watcher.queue(name).onDeparture(List.of(ticket), order) : Registration.NONE;
                order.begin();
                CompletionStage<Boolean> posted = other.queue(name).post(seen, "round " + round);
                CompletionStage<Boolean> removed =
                        posted.thenCompose(done -> other.queue(name).remove(ticket));
                if (!armedBefore) {
                    departures = watcher.queue(name).onDeparture(List.of(ticket), order);
                }
                assertThat(Await.get(posted)).isTrue();
                assertThat(Await.get(removed)).isTrue();

                Await.until("the departure", () -> order.departed);
                assertThat(order.toldFirst).as("told of the notice first").isTrue();
                departures.close();
            }
        }
    }

    /** Records which was told first: the new notice, or the departure that came after it. */
    private static final class Order implements Runnable, DepartureWatcher {
        private final AtomicInteger changes = new AtomicInteger();
        private volatile int changesBefore; // before the notice was posted
        private volatile boolean toldFirst; // written before departed
        private volatile boolean departed;

        void begin() {
            changesBefore = changes.get();
        }

        @Override
        public void run() {
            changes.incrementAndGet();
        }

        @Override
        public void departed(Ticket ticket) {
            toldFirst = changes.get() > changesBefore;
            departed = true;
        }

        @Override
        public void changed() {}
    }

    @Test
    void onNotice_closed_leavesNothingAndMayBeRepeated() throws Exception {
        Client watcher = open();
        int before = leftovers().size();
        Registration registration = watcher.queue(name).onNotice(new Reader());
        notice(watcher);
        registration.close();
        registration.close();

        Await.until(() -> "no watch is left: " + leftovers(), () -> leftovers().size() <= before);
    }

    @Test
    void onNotice_oneOfTwoIsClosed_theOtherIsTold() throws Exception {
        Client watcher = open();
        Reader closed = new Reader();
        Reader open = new Reader();
        Registration first = watcher.queue(name).onNotice(closed);
        watcher.queue(name).onNotice(open);
        notice(watcher);
        first.close();
        int told = closed.told.get();
        post(open(), "posted");

        open.awaitText(watcher.queue(name), "posted");
        assertThat(closed.told).hasValue(told);
    }

    @Test
    void onNotice_closedAndMadeAgain_isTold() throws Exception {
        Client watcher = open();
        watcher.queue(name).onNotice(new Reader()).close();
        Reader reader = new Reader();
        watcher.queue(name).onNotice(reader);
        assertThat(notice(watcher).text()).isEmpty();
        post(open(), "posted");

        reader.awaitText(watcher.queue(name), "posted");
    }

    @Test
    void onNotice_whileConnectionIsCut_isToldAfterwards() throws Exception {
        Client watcher = open();
        Client other = open();
        post(other, "before");
        Reader reader = new Reader();
        watcher.queue(name).onNotice(reader);
        assertThat(notice(watcher).text()).isEqualTo("before");

        fixture.cut(watcher.store());
        post(other, "meanwhile");
        fixture.mend(watcher.store());

        reader.awaitText(watcher.queue(name), "meanwhile");
    }

    @Test
    void onNotice_madeWhileConnectionIsCut_isArmedAfterwards() throws Exception {
        Client watcher = open();
        Client other = open();
        post(other, "before");
        fixture.cut(watcher.store());
        Reader reader = new Reader();
        watcher.queue(name).onNotice(reader);
        fixture.mend(watcher.store());
        Await.until("the session is sound again", () -> readsAgain(watcher));

        post(other, "afterwards");

        reader.awaitText(watcher.queue(name), "afterwards");
    }

    /** No watch was on the ticket when it departed, and the regular check would come later than this test waits. */
    @Test
    void onDeparture_ofOwnTicketThatWentWhileConnectionWasCut_isReported() throws Exception {
        Client owner = open(LONG);
        Client other = open();
        Ticket own = owner.take(name).ticket();
        other.take(name);
        Reader reader = new Reader();
        owner.queue(name).onNotice(reader);
        assertThat(notice(owner).text()).isEmpty();

        fixture.cut(owner.store());
        Await.get(other.queue(name).remove(own));
        post(other, "meanwhile");
        fixture.mend(owner.store());
        reader.awaitText(owner.queue(name), "meanwhile");
        post(other, "afterwards");
        reader.awaitText(owner.queue(name), "afterwards"); // so its watches work again, and it knows what it has missed

        watch(owner, name, own).awaitDeparture(owner.queue(name), own);
    }

    private boolean readsAgain(Client client) {
        return Await.get(client.queue(name).notice().handle((notice, failure) -> failure == null));
    }
}
