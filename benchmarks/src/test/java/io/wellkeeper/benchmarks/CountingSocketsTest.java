package io.wellkeeper.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.jupiter.api.Test;

class CountingSocketsTest {

    @Test
    void requests_severalPartsBeforeAnAnswer_areOne() throws Exception {
        try (ServerSocket door = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket client = new CountingSockets().createSocket()) {
            client.connect(door.getLocalSocketAddress());
            try (Socket server = door.accept()) {
                OutputStream request = client.getOutputStream();
                InputStream answer = client.getInputStream();
                long before = CountingSockets.requests();
                for (int i = 0; i < 3; i++) {
                    request.write(1);
                    request.write(new byte[] {2, 3});
                    server.getOutputStream().write(4);
                    assertThat(answer.read()).isEqualTo(4);
                }

                assertThat(CountingSockets.requests() - before).isEqualTo(3);
            }
        }
    }
}
