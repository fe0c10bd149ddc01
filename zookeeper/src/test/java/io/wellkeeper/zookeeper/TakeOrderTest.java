package io.wellkeeper.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class TakeOrderTest {

    private final TakeOrder order = new TakeOrder();
    private final AtomicBoolean known = new AtomicBoolean(true);
    private final List<String> sent = new ArrayList<>();

    private TakeOrder.Turn send(String what) {
        TakeOrder.Turn turn = order.new Turn("queue", known::get);
        turn.send(() -> sent.add(what));
        return turn;
    }

    @Test
    void send_ofKnownQueue_goesAtOnce() {
        send("a");
        send("b");

        assertThat(sent).containsExactly("a", "b");
    }

    @Test
    void send_again_afterAllEarlierAndBeforeAllLater() {
        TakeOrder.Turn a = send("a");
        TakeOrder.Turn b = send("b");
        TakeOrder.Turn c = send("c");

        c.send(() -> sent.add("c again"));
        b.send(() -> sent.add("b again"));
        TakeOrder.Turn d = send("d");
        assertThat(sent).containsExactly("a", "b", "c");

        a.over();
        assertThat(sent).containsExactly("a", "b", "c", "b again");
        b.over();
        assertThat(sent).containsExactly("a", "b", "c", "b again", "c again");
        c.over();
        d.over();
        assertThat(sent).containsExactly("a", "b", "c", "b again", "c again", "d");
    }

    @Test
    void send_againByTheFirst_goesAtOnce() {
        TakeOrder.Turn a = send("a");
        send("b");

        a.send(() -> sent.add("a again"));

        assertThat(sent).containsExactly("a", "b", "a again");
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
        TakeOrder.Turn refused = order.new Turn("queue", known::get);

        assertThatThrownBy(() -> refused.send(() -> {
                    send("meanwhile");
                    throw new IllegalArgumentException("refused");
                }))
                .hasMessage("refused");

        assertThat(sent).containsExactly("meanwhile");
    }
}
