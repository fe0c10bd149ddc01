package io.wellkeeper.torture;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.testservers.TcpProxy.Fate;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class RequestFaultTest {

    private static ByteBuffer script(String digest) {
        String command = "*3\r\n$7\r\nEVALSHA\r\n$2\r\n%s\r\n$1\r\n0\r\n".formatted(digest);
        return ByteBuffer.wrap(command.getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    void decide_repetitionIsToBeRefused_nextOfItsKindIsAnsweredOnce() {
        RequestFault fault =
                new RequestFault(new RedisProtocol(), RequestFault.Effect.LOSE_REPLY_AND_REFUSE, 2, 0, () -> {});
        assertThat(fault.decide(script("aa"))).isEqualTo(Fate.FORWARD);
        assertThat(fault.decide(script("bb"))).isEqualTo(Fate.LOSE_REPLY);
        assertThat(fault.decide(script("aa"))).isEqualTo(Fate.FORWARD);
        assertThat(fault.decide(script("bb"))).isEqualTo(Fate.ANSWER);
        assertThat(fault.decide(script("bb"))).isEqualTo(Fate.FORWARD);
        assertThat(new String(fault.answer(script("bb")), StandardCharsets.US_ASCII))
                .startsWith("-LOADING ");
    }
}
