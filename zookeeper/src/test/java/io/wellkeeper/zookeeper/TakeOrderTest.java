package io.wellkeeper.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class TakeOrderTest {

    private final TakeOrder order = new TakeOrder();
    private final AtomicBoolean known = new AtomicBoolean(true);
    private final List<String> sent = new ArrayList<>();

    private final List<String> counting = new ArrayList<>();

    private TakeOrder.Turn send(String what) {
        TakeOrder.Turn[] turn = new TakeOrder.Turn[1];
        turn[0] = order.new Turn("queue", known::get, () -> turn[0].send(() -> sent.add(what + " anew")));
        turn[0].send(() -> sent.add(what));
        return turn[0];
    }

    private void numbered(TakeOrder.Turn turn, String what) {
        turn.numbered(() -> counting.add(what));
    }

    @Test
    void send_ofKnownQueue_goesAtOnce() {
        send("a");
        send("b");

        assertThat(sent).containsExactly("a", "b");
    }

    @Test
    void send_again_goesAtOnceAndHasTheLaterBeginAnew() {
        TakeOrder.Turn a = send("a");
        TakeOrder.Turn b = send("b");
        TakeOrder.Turn c = send("c");
        TakeOrder.Turn d = send("d");
        numbered(d, "d");

        b.send(() -> sent.add("b again"));
        TakeOrder.Turn e = send("e");
        assertThat(sent).containsExactly("a", "b", "c", "d", "b again");

        numbered(a, "a");
        numbered(b, "b");
        numbered(c, "c");
        assertThat(sent).containsExactly("a", "b", "c", "d", "b again", "c anew", "d anew", "e");
        numbered(c, "c");
        numbered(d, "d");
        numbered(e, "e");
        assertThat(counting).containsExactly("a", "b", "c", "d", "e");
    }

    @Test
    void send_asManyAsFillTheWindowAreUnderWay_waitsUntilOneCounts() {
        List<TakeOrder.Turn> turns = new ArrayList<>();
        for (int i = 0; i < RequestWindow.SIZE; i++) {
            turns.add(send("many"));
        }
        send("last");
        turns.get(1).send(() -> sent.add("again"));
        assertThat(sent).hasSize(RequestWindow.SIZE + 1).endsWith("again");

        turns.forEach(turn -> numbered(turn, "counts"));
        turns.subList(2, turns.size()).forEach(turn -> numbered(turn, "counts"));

        assertThat(sent).hasSize(2 * RequestWindow.SIZE).endsWith("many anew", "last");
        assertThat(counting).hasSize(RequestWindow.SIZE);
    }

    @Test
    void doubted_hadATicket_theLaterCountOnceThatIsKnown() {
        TakeOrder.Turn a = send("a");
        TakeOrder.Turn b = send("b");

        a.doubted();
        send("c");
        numbered(b, "b");
        assertThat(sent).containsExactly("a", "b");
        assertThat(counting).isEmpty();

        numbered(a, "a");
        assertThat(sent).containsExactly("a", "b", "c");
        assertThat(counting).containsExactly("a", "b");
    }

    @Test
    void doubted_hadNoTicket_theLaterBeginAnewAlsoIfTheyWereInDoubt() {
        TakeOrder.Turn a = send("a");
        TakeOrder.Turn b = send("b");
        TakeOrder.Turn c = send("c");
        a.doubted();
        b.doubted();
        numbered(c, "c");

        a.send(() -> sent.add("a again"));
        assertThat(sent).containsExactly("a", "b", "c", "a again");
        numbered(b, "b");

        assertThat(sent).containsExactly("a", "b", "c", "a again", "b anew", "c anew");
        assertThat(counting).isEmpty();
    }

    @Test
    void doubted_isOver_theLaterCount() {
        TakeOrder.Turn a = send("a");
        TakeOrder.Turn b = send("b");
        a.doubted();
        numbered(b, "b");

        a.over();
        a.send(() -> sent.add("a again"));

        assertThat(counting).containsExactly("b");
        assertThat(sent).containsExactly("a", "b");
    }

    /** What is still to be found out about a ticket that counts may take long. */
    @Test
    void over_longAfterItsTicketCounted_keepsNobodyElseFromCounting() {
        TakeOrder.Turn a = send("a");
        numbered(a, "a");
        TakeOrder.Turn b = send("b");

        a.over();
        numbered(b, "b");

        assertThat(counting).containsExactly("a", "b");
        assertThat(sent).containsExactly("a", "b");
    }

    @Test
    void send_againBeforeAnotherThatWasRefusedToo_doesNotWaitForIt() {
        known.set(true);
        TakeOrder.Turn a = send("a");
        TakeOrder.Turn b = send("b");
        known.set(false);

        b.send(() -> sent.add("b again"));
        assertThat(sent).containsExactly("a", "b");
        a.send(() -> sent.add("a again"));
        assertThat(sent).containsExactly("a", "b", "a again");
        known.set(true);
        numbered(a, "a");

        assertThat(sent).containsExactly("a", "b", "a again", "b again");
    }

    @Test
    void send_ofUnknownQueue_othersWaitForTheFirstAndGoTogether() {
        known.set(false);
        TakeOrder.Turn a = send("a");
        send("b");
        send("c");
        assertThat(sent).containsExactly("a");

        known.set(true);
        a.over();

        assertThat(sent).containsExactly("a", "b", "c");
    }

    @Test
    void send_ofUnknownQueueThatStaysSo_goesOneByOne() {
        known.set(false);
        TakeOrder.Turn a = send("a");
        TakeOrder.Turn b = send("b");
        send("c");

        a.over();
        assertThat(sent).containsExactly("a", "b");
        b.over();
        assertThat(sent).containsExactly("a", "b", "c");
    }

    @Test
    void send_refusedByTheClient_othersGoOn() {
        TakeOrder.Turn refused = order.new Turn("queue", known::get, () -> {});

        assertThatThrownBy(() -> refused.send(() -> {
                    send("meanwhile");
                    throw new IllegalArgumentException("refused");
                }))
                .hasMessage("refused");

        assertThat(sent).containsExactly("meanwhile");
    }

    private final List<CompletableFuture<String>> asked = new ArrayList<>();

    private CompletableFuture<String> ask() {
        return order.behind("queue", () -> {
                    CompletableFuture<String> answer = new CompletableFuture<>();
                    asked.add(answer);
                    return answer;
                })
                .toCompletableFuture();
    }

    @Test
    void behind_allHaveGoneOut_isAskedAtOnce() {
        TakeOrder.Turn a = send("a");
        CompletableFuture<String> answer = ask();
        numbered(a, "a");
        asked.get(0).complete("answer");

        assertThat(asked).hasSize(1);
        assertThat(answer).isCompletedWithValue("answer");
    }

    @Test
    void behind_oneIsJustBeingSent_isAskedWhenItIsOver() {
        TakeOrder.Turn a = order.new Turn("queue", known::get, () -> {});
        a.send(this::ask);
        assertThat(asked).isEmpty();
        numbered(a, "a");

        assertThat(asked).hasSize(1);
    }

    @Test
    void behind_oneWaitsForItsTurn_isAskedWhenAllAreOver() {
        known.set(false);
        TakeOrder.Turn a = send("a");
        TakeOrder.Turn b = send("b");
        CompletableFuture<String> answer = ask();
        known.set(true);
        numbered(a, "a");
        send("c");
        assertThat(asked).isEmpty();
        numbered(b, "b");
        asked.get(0).complete("answer");

        assertThat(asked).hasSize(1);
        assertThat(answer).isCompletedWithValue("answer");
    }

    @Test
    void behind_oneIsSentAgainBeforeTheAnswer_isAskedOnceMoreWhenAllAreOver() {
        TakeOrder.Turn a = send("a");
        TakeOrder.Turn b = send("b");
        CompletableFuture<String> answer = ask();
        a.send(() -> sent.add("a again"));
        asked.get(0).complete("too old");
        numbered(a, "a");
        numbered(b, "b");
        assertThat(asked).hasSize(1);
        assertThat(answer).isNotDone();
        b.over();
        asked.get(1).complete("answer");

        assertThat(answer).isCompletedWithValue("answer");
    }

    @Test
    void behind_oneIsInDoubtAndFails_isAskedThen() {
        TakeOrder.Turn a = send("a");
        a.doubted();
        CompletableFuture<String> answer = ask();
        assertThat(asked).isEmpty();
        a.over();
        asked.get(0).completeExceptionally(new IllegalStateException("refused"));

        assertThat(answer).isCompletedExceptionally();
    }
}
