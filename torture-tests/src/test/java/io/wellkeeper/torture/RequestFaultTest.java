package io.wellkeeper.torture;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.testservers.TcpProxy.Fate;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RequestFaultTest {

    private static ByteBuffer script(String digest) {
        String command = "*3\r\n$7\r\nEVALSHA\r\n$2\r\n%s\r\n$1\r\n0\r\n".formatted(digest);
        return ByteBuffer.wrap(command.getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    void decide_repetitionIsToBeRefused_nextOfItsKindIsAnsweredOnce() {
        RequestFault fault = new RequestFault(
                new RedisProtocol(), RequestFault.Effect.LOSE_REPLY_AND_REFUSE, 2, 0, () -> {}, Set.of());
        assertThat(fault.decide(script("aa"))).isEqualTo(Fate.FORWARD);
        assertThat(fault.decide(script("bb"))).isEqualTo(Fate.LOSE_REPLY);
        assertThat(fault.decide(script("aa"))).isEqualTo(Fate.FORWARD);
        assertThat(fault.decide(script("bb"))).isEqualTo(Fate.ANSWER);
        assertThat(fault.decide(script("bb"))).isEqualTo(Fate.FORWARD);
        assertThat(new String(fault.answer(script("bb")), StandardCharsets.US_ASCII))
                .startsWith("-LOADING ");
    }

    /** What is sent rarely, as between two round trips of one transaction, would hardly be met by chance. */
    @Test
    void decide_workersHaveBeenStoppedAtOthers_isStoppedOnceAtTheFirstOfAnotherKind() {
        Set<String> stoppedAt = new HashSet<>(Set.of("aa"));
        AtomicInteger stops = new AtomicInteger();
        RequestFault fault = new RequestFault(
                new RedisProtocol(),
                RequestFault.Effect.PAUSE,
                Integer.MAX_VALUE,
                0,
                stops::incrementAndGet,
                stoppedAt);

        assertThat(List.of("aa", "aa", "bb", "cc")).allMatch(script -> fault.decide(script(script)) == Fate.FORWARD);

        assertThat(stops).hasValue(1);
        assertThat(stoppedAt).containsExactlyInAnyOrder("aa", "bb");
    }

    @Test
    void kind_statementsOfMariaDb_isOneWhateverTheValues() {
        assertThat(statement("DELETE FROM wellkeeper_ticket WHERE name = 'it''s; 1' AND number IN (1, 22)"))
                .isEqualTo(statement("DELETE FROM wellkeeper_ticket WHERE name = 'l\\'' AND number IN (3)"))
                .isNotEqualTo(statement("DELETE FROM wellkeeper_inbox WHERE name = 'l' AND number IN (3)"));
    }

    private static Optional<String> statement(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        ByteBuffer packet = ByteBuffer.allocate(5 + bytes.length)
                .put((byte) (1 + bytes.length))
                .putShort((short) 0)
                .put((byte) 0)
                .put((byte) 3)
                .put(bytes);
        return new MariaDbProtocol().kind(packet.flip());
    }
}
