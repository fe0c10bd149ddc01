package io.wellkeeper.testservers;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Asks a ZooKeeper server about itself. */
final class FourLetterWord {

    private static final int TIMEOUT_MILLIS = 3_000;

    private FourLetterWord() {}

    /**
     * Sends a four-letter word.
     *
     * @param port of a server on this machine
     * @param word such as {@code srvr}
     * @return the answer
     * @throws IOException if there is no answer
     */
    static String send(int port, String word) throws IOException {
        try (Socket socket = new Socket()) {
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), TIMEOUT_MILLIS);
            socket.getOutputStream().write(word.getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().flush();
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
