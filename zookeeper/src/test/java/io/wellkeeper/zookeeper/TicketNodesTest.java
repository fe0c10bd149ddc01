package io.wellkeeper.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketRequest;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class TicketNodesTest {

    @Test
    void parse_nameThatWasMade_givesTheTicketBack() {
        TicketRequest request = new TicketRequest("r7", Mode.SHARED, 3, "");
        String node = TicketNodes.name("session1", request, true) + "0000000042";

        Ticket ticket = TicketNodes.parse(node).orElseThrow();

        assertThat(node).startsWith(TicketNodes.prefix("session1", request));
        assertThat(ticket.number()).isEqualTo(42);
        assertThat(ticket.id()).isEqualTo(node);
        assertThat(ticket.session()).isEqualTo("session1");
        assertThat(ticket.mode()).isEqualTo(Mode.SHARED);
        assertThat(ticket.permits()).isEqualTo(3);
    }

    @Test
    void counting_requestHasTwo_givesTheFirst() {
        List<String> nodes =
                List.of("s-r2-x1-0000000003", "s-r-x1-0000000002", "t-r-x1-0000000004", "s-r-X1-0000000001");

        assertThat(TicketNodes.counting(nodes)).extracting(Ticket::number).containsExactly(1L, 3L, 4L);
    }

    @Test
    void counting_requestIsOver_givesNoneOfIt() {
        List<String> nodes = List.of(
                "s-r2-x1-0000000003",
                "s-r-x1-0000000005",
                TicketNodes.over("s-r-x1-0000000002"),
                "t-r-x1-0000000004",
                "garbage-over");

        assertThat(TicketNodes.counting(nodes)).extracting(Ticket::number).containsExactly(3L, 4L);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "-",
                "garbage",
                "0000000042",
                "s-r-x1",
                "s-r-x1-42",
                "s-r-x1-00000000042",
                "s-r-x0-0000000042",
                "s-r-x-0000000042",
                "s-r-y1-0000000042",
                "s-r-x1--000000042",
                "-r-x1-0000000042",
                "s--x1-0000000042",
                "s-r-x99999999999-0000000042",
                "s-r-x1-000000004a",
                "s-r-x1-٠٠٠٠٠٠٠٠٤٢",
                "s-r-t-x1-0000000042",
                "_c_f0f0-lock-0000000042",
                "s-r-x1--2147483648"
            })
    void parse_foreignNode_isNoTicket(String node) {
        assertThat(TicketNodes.parse(node)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void milder_ofAnyMode_differsInNothingElse(Mode mode) {
        Ticket old = TicketNodes.parse("session1-r7-w12-0000000042").orElseThrow();

        Ticket milder = TicketNodes.milder(old, mode, 3);

        assertThat(TicketNodes.parse(milder.id()))
                .get()
                .usingRecursiveComparison()
                .isEqualTo(milder);
        assertThat(milder)
                .usingRecursiveComparison()
                .ignoringFields("id", "mode", "permits")
                .isEqualTo(old);
        assertThat(milder.mode()).isEqualTo(mode);
        assertThat(milder.permits()).isEqualTo(3);
    }

    @Test
    void hasOwnToken_replacedOrTakenWithARemoval_isDenied() {
        TicketRequest request = new TicketRequest("r7", Mode.WRITE, 2, "");
        Ticket own = TicketNodes.parse(TicketNodes.name("s", request, true) + "0000000042")
                .orElseThrow();
        Ticket another = TicketNodes.parse(TicketNodes.name("s", request, false) + "0000000042")
                .orElseThrow();

        assertThat(TicketNodes.hasOwnToken(own)).isTrue();
        assertThat(TicketNodes.hasOwnToken(TicketNodes.milder(own, Mode.WRITE, 2)))
                .isTrue();
        assertThat(TicketNodes.hasOwnToken(TicketNodes.milder(own, Mode.WRITE, 1)))
                .isFalse();
        assertThat(TicketNodes.hasOwnToken(another)).isFalse();
        assertThat(another.mode()).isEqualTo(Mode.WRITE);
    }

    @Test
    void parse_manyNodes_sortsTicketsByNumberAndDropsTheRest() {
        List<Ticket> tickets =
                TicketNodes.parse(List.of("z-r-x1-0000000009", "foreign", "a-r-x1-0000000010", "m-r-x1-0000000001"));

        assertThat(tickets).extracting(Ticket::number).containsExactly(1L, 9L, 10L);
    }
}
