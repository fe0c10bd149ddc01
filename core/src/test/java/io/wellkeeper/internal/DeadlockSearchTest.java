package io.wellkeeper.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.Deadlock;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketInfo;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Circles among many who wait, each in a process of its own. */
class DeadlockSearchTest {

    private static final int MANY = 3_000;
    private static final int SOME = 400;

    private final Map<String, Snapshot> queues = new LinkedHashMap<>();

    /** The first of them is in. */
    private void queue(String name, List<Integer> processes) {
        List<TicketInfo> infos = new ArrayList<>();
        for (int process : processes) {
            String metadata = "client=c&host=host-" + process + "&pid=7&thread=worker&tid=1";
            Ticket ticket = new Ticket(infos.size(), name + process, "session-" + process, Mode.EXCLUSIVE, 1);
            infos.add(new TicketInfo(ticket, metadata, Instant.EPOCH, OptionalLong.empty()));
        }
        queues.put(name, new Snapshot(infos.subList(0, 1), infos.subList(1, infos.size()), new Notice("", 0)));
    }

    private List<Deadlock> search() {
        return DeadlockSearch.among(queues, names -> {
            Map<String, Snapshot> again = new LinkedHashMap<>(queues);
            again.keySet().retainAll(names);
            return again;
        });
    }

    private static List<Integer> upTo(int processes) {
        return IntStream.range(0, processes).boxed().toList();
    }

    /** Not as many steps as there are pairs: that would be longer than anybody waits. */
    @Test
    @Timeout(60)
    void among_veryManyWaitForOneLock_areNone() {
        queue("hot", upTo(MANY));

        assertThat(search()).isEmpty();
    }

    @Test
    @Timeout(60)
    void among_eachHoldsALockAndAllWaitForOne_areNone() {
        upTo(SOME).forEach(process -> queue("own-" + process, List.of(process)));
        queue("hot", upTo(SOME));

        assertThat(search()).isEmpty();
    }

    @Test
    @Timeout(60)
    void among_manyWaitBehindACircle_isThatCircle() {
        upTo(SOME).forEach(process -> queue("own-" + process, process == 1 ? List.of(1, 0) : List.of(process)));
        queue("hot", upTo(SOME));

        List<Deadlock> found = search();

        assertThat(found).hasSize(1);
        assertThat(found.get(0).circle())
                .extracting(waiting -> waiting.who().host() + " wants " + waiting.wants() + " holds " + waiting.holds())
                .containsExactlyInAnyOrder("host-0 wants own-1 holds hot", "host-1 wants hot holds own-1");
    }
}
