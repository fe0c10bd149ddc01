package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import org.junit.jupiter.api.Test;

class PromptSocketsTest {

    @Test
    void read_whenToldToWaitForAMillisecond_takesWhatIsThereAndElseDoesNotWait() throws Exception {
        try (ServerSocket door = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket socket = new PromptSockets().createSocket()) {
            socket.connect(door.getLocalSocketAddress());
            try (Socket server = door.accept()) {
                socket.setSoTimeout(1);
                assertThatThrownBy(() -> socket.getInputStream().read())
                        .isInstanceOf(SocketTimeoutException.class)
                        .hasMessage("there is nothing yet");

                server.getOutputStream().write(new byte[] {7, 8});
                socket.setSoTimeout(0);
                assertThat(socket.getInputStream().read()).isEqualTo(7);
                socket.setSoTimeout(1);
                assertThat(socket.getInputStream().read()).isEqualTo(8);
            }
        }
    }

    @Test
    void isSeenBy_driverOfTheSameClassPath_isTrue() {
        assertThat(PromptSockets.isSeenBy(org.postgresql.Driver.class)).isTrue();
        assertThat(PromptSockets.isSeenBy(String.class)).isFalse();
    }
}
