package io.wellkeeper.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PacketFilterTest {

    private static final int SHORT = 300; // milliseconds
    private static final int LONG = 20_000;

    @Test
    void drop_onePort_keepsConnectionsOpenAndWithoutAnswers() throws IOException {
        assumeTrue(PacketFilter.isPossible(), "not root, or no nft");
        try (ServerSocket listening = listen();
                ServerSocket other = listen();
                Socket client = connect(listening, LONG);
                Socket server = listening.accept()) {
            try (PacketFilter dropping = PacketFilter.drop(List.of(listening.getLocalPort()))) {
                client.getOutputStream().write(1);
                server.setSoTimeout(SHORT);
                assertThatThrownBy(() -> server.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);
                assertThatThrownBy(() -> connect(listening, SHORT)).isInstanceOf(SocketTimeoutException.class);
                connect(other, LONG).close();
            }
            server.setSoTimeout(LONG);
            assertThat(server.getInputStream().read()).isEqualTo(1);
            connect(listening, LONG).close();
        }
    }

    private static ServerSocket listen() throws IOException {
        return new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    }

    private static Socket connect(ServerSocket listening, int timeout) throws IOException {
        Socket socket = new Socket();
        try {
            socket.connect(listening.getLocalSocketAddress(), timeout);
        } catch (IOException failed) {
            socket.close();
            throw failed;
        }
        return socket;
    }
}
