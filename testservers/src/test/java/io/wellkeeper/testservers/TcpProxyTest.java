package io.wellkeeper.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.testservers.TcpProxy.Fate;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TcpProxyTest {

    private final Echo echo = new Echo();
    private final TcpProxy proxy = TcpProxy.framed(echo.listening.getLocalPort());

    @AfterEach
    void close() throws IOException {
        proxy.close();
        echo.listening.close();
    }

    @Test
    void forward_framesOfSeveralClients_areAnswered() throws IOException {
        try (Client one = new Client();
                Client two = new Client()) {
            assertThat(one.ask("aaaa")).isEqualTo("aaaa");
            assertThat(two.ask("bbbb")).isEqualTo("bbbb");
            assertThat(one.ask("cccc")).isEqualTo("cccc");
        }
        assertThat(echo.received).containsExactly("aaaa", "bbbb", "cccc");
    }

    @Test
    void loseReply_oneRequest_reachesTheServerAndCutsTheClient() throws IOException {
        proxy.rule(request -> request.get(0) == 'x' ? Fate.LOSE_REPLY : Fate.FORWARD);
        try (Client client = new Client()) {
            client.ask("aaaa");
            client.send("xxxx");
            assertThatThrownBy(client::receive).isInstanceOf(IOException.class);
        }
        await().untilAsserted(() -> assertThat(echo.received).containsExactly("aaaa", "xxxx"));
        await().until(() -> proxy.connections() == 0);
    }

    @Test
    void loseRequest_oneRequest_neverReachesTheServer() throws IOException {
        proxy.rule(request -> request.get(0) == 'x' ? Fate.LOSE_REQUEST : Fate.FORWARD);
        try (Client client = new Client()) {
            client.send("xxxx");
            assertThatThrownBy(client::receive).isInstanceOf(IOException.class);
        }
        await().until(() -> proxy.connections() == 0);
        assertThat(echo.received).isEmpty();
    }

    @Test
    void cut_openConnection_endsItAndAcceptsAnother() throws IOException {
        try (Client client = new Client()) {
            client.ask("aaaa");
            proxy.cut();
            assertThatThrownBy(client::receive).isInstanceOf(IOException.class);
        }
        try (Client client = new Client()) {
            assertThat(client.ask("bbbb")).isEqualTo("bbbb");
        }
    }

    @Test
    void cutClients_openConnection_endsForTheClientAndNotForTheServer() throws IOException {
        try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                TcpProxy plain = TcpProxy.of(listening.getLocalPort());
                Socket client = new Socket(InetAddress.getLoopbackAddress(), plain.port());
                Socket server = listening.accept()) {
            await().until(() -> plain.connections() == 1);
            plain.cutClients();

            assertThat(client.getInputStream().read()).isEqualTo(-1);
            server.setSoTimeout(200);
            assertThatThrownBy(() -> server.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);
        }
    }

    @Test
    void cutServer_openConnection_endsForTheServerAndNotForTheClient() throws IOException {
        try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                TcpProxy plain = TcpProxy.of(listening.getLocalPort());
                Socket client = new Socket(InetAddress.getLoopbackAddress(), plain.port());
                Socket server = listening.accept()) {
            await().until(() -> plain.connections() == 1);
            plain.cutServer();

            assertThat(server.getInputStream().read()).isEqualTo(-1);
            client.setSoTimeout(200);
            assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);
        }
    }

    @Test
    void refuse_newConnection_isClosedAtOnce() throws IOException {
        proxy.refuse(true);
        try (Client client = new Client()) {
            assertThatThrownBy(() -> client.ask("aaaa")).isInstanceOf(IOException.class);
        }
        assertThat(echo.received).isEmpty();
    }

    @Test
    void swallow_request_isDeliveredWhenItEnds() throws IOException {
        try (Client client = new Client()) {
            client.ask("aaaa");
            proxy.swallow(true);
            client.send("bbbb");
            client.socket.setSoTimeout(50);
            assertThatThrownBy(client::receive).isInstanceOf(SocketTimeoutException.class);
            assertThat(echo.received).containsExactly("aaaa");
            client.socket.setSoTimeout(20_000);
            proxy.swallow(false);
            assertThat(client.receive()).isEqualTo("bbbb");
        }
    }

    @Test
    void swallowReplies_request_reachesTheServerButTheReplyWaits() throws IOException {
        try (Client client = new Client()) {
            proxy.swallowReplies(true);
            client.send("aaaa");
            await().untilAsserted(() -> assertThat(echo.received).containsExactly("aaaa"));
            client.socket.setSoTimeout(50);
            assertThatThrownBy(client::receive).isInstanceOf(SocketTimeoutException.class);
            client.socket.setSoTimeout(20_000);
            proxy.swallowReplies(false);
            assertThat(client.receive()).isEqualTo("aaaa");
        }
    }

    @Test
    void delay_protocolWithoutFrames_holdsBackEachWayAndKeepsTheOrder() throws IOException {
        Duration delay = Duration.ofMillis(20);
        try (TcpProxy wire = TcpProxy.of(echo.listening.getLocalPort());
                Client client = new Client(wire)) {
            wire.delay(delay);
            long start = System.nanoTime();
            client.send("aaaa");
            client.send("bbbb");
            assertThat(client.receive()).isEqualTo("aaaa");
            assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(2 * delay.toNanos());
            assertThat(client.receive()).isEqualTo("bbbb");
        }
    }

    @Test
    void close_protocolWithoutFrames_deliversWhatWasSentBefore() throws IOException {
        try (TcpProxy wire = TcpProxy.of(echo.listening.getLocalPort())) {
            wire.delay(Duration.ofMillis(20));
            try (Client client = new Client(wire)) {
                client.send("aaaa");
            }
            await().untilAsserted(() -> assertThat(echo.received).containsExactly("aaaa"));
            await().until(() -> wire.connections() == 0);
        }
    }

    @Test
    void rule_answer_comesInTheOrderOfTheRequestsAndTheServerNeverSeesIt() throws IOException {
        proxy.rule(new TcpProxy.Rule() {
            @Override
            public TcpProxy.Fate decide(ByteBuffer request) {
                return text(request).startsWith("mine") ? TcpProxy.Fate.ANSWER : TcpProxy.Fate.FORWARD;
            }

            @Override
            public byte[] answer(ByteBuffer request) {
                return ByteBuffer.allocate(8)
                        .putInt(4)
                        .put("done".getBytes(StandardCharsets.US_ASCII))
                        .array();
            }
        });
        try (Client client = new Client()) {
            client.send("aaaa");
            client.send("mine");
            client.send("bbbb");
            assertThat(List.of(client.receive(), client.receive(), client.receive()))
                    .containsExactly("aaaa", "done", "bbbb");
        }
        assertThat(echo.received).containsExactly("aaaa", "bbbb");
    }

    private static String text(ByteBuffer request) {
        return StandardCharsets.US_ASCII.decode(request.duplicate()).toString();
    }

    @Test
    void swallowRequests_repliesStillCome_andRequestsComeLater() throws IOException {
        try (TcpProxy wire = TcpProxy.of(echo.listening.getLocalPort());
                Client client = new Client(wire)) {
            assertThat(client.ask("aaaa")).isEqualTo("aaaa");
            wire.swallowRequests(true);
            client.send("bbbb");
            assertThat(echo.received).containsExactly("aaaa");
            wire.swallowRequests(false);
            assertThat(client.receive()).isEqualTo("bbbb");
        }
    }

    /** Talks in frames, through the proxy. */
    private final class Client implements AutoCloseable {

        final Socket socket;

        Client() throws IOException {
            this(proxy);
        }

        Client(TcpProxy through) throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), through.port());
            socket.setSoTimeout(20_000);
        }

        String ask(String text) throws IOException {
            send(text);
            return receive();
        }

        void send(String text) throws IOException {
            byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            out.writeInt(bytes.length);
            out.write(bytes);
        }

        String receive() throws IOException {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            return new String(in.readNBytes(in.readInt()), StandardCharsets.US_ASCII);
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    /** Sends every frame back. */
    private static final class Echo {

        final ServerSocket listening;
        final List<String> received = new CopyOnWriteArrayList<>();

        Echo() {
            try {
                listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
            } catch (IOException failed) {
                throw new AssertionError(failed);
            }
            daemon(this::accept);
        }

        private void accept() {
            while (!listening.isClosed()) {
                try {
                    Socket socket = listening.accept();
                    daemon(() -> serve(socket));
                } catch (IOException closed) {
                    return;
                }
            }
        }

        private void serve(Socket socket) {
            try (socket) {
                DataInputStream in = new DataInputStream(socket.getInputStream());
                DataOutputStream out = new DataOutputStream(socket.getOutputStream());
                while (true) {
                    byte[] frame = in.readNBytes(in.readInt());
                    received.add(new String(frame, StandardCharsets.US_ASCII));
                    out.writeInt(frame.length);
                    out.write(frame);
                }
            } catch (IOException closed) {
                // the client has gone
            }
        }

        private static void daemon(Runnable task) {
            Thread thread = new Thread(task);
            thread.setDaemon(true);
            thread.start();
        }
    }
}
