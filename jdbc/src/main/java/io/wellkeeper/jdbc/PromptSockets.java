package io.wellkeeper.jdbc;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import javax.net.SocketFactory;

/**
 * Sockets for PostgreSQL's driver. After each notification the driver waits one millisecond for another one. On these
 * sockets it does not wait, so that a lock is handed over one millisecond sooner. Stores with connections of their own
 * use them. For a data source set the driver's parameter {@code socketFactory=io.wellkeeper.jdbc.PromptSockets}.
 */
public class PromptSockets extends SocketFactory {

    /** For the driver. */
    public PromptSockets() {}

    /** Whether the driver, which looks for classes by their names, can find this one. */
    static boolean isSeenBy(Class<?> driver) {
        try {
            return Class.forName(PromptSockets.class.getName(), false, driver.getClassLoader()) == PromptSockets.class;
        } catch (ClassNotFoundException elsewhere) {
            return false;
        }
    }

    @Override
    public Socket createSocket() {
        return new PromptSocket();
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        throw connectsItself();
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress local, int localPort) throws IOException {
        throw connectsItself();
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        throw connectsItself();
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) throws IOException {
        throw connectsItself();
    }

    private static SocketException connectsItself() {
        return new SocketException("the driver connects its sockets itself");
    }

    /** A socket whose reads time out at once if nothing has arrived and the timeout is one millisecond. */
    public static class PromptSocket extends Socket {

        private volatile int timeoutMillis;

        /** Unconnected. */
        public PromptSocket() {}

        @Override
        public void setSoTimeout(int millis) throws SocketException {
            super.setSoTimeout(millis);
            timeoutMillis = millis;
        }

        @Override
        public InputStream getInputStream() throws IOException {
            return new FilterInputStream(super.getInputStream()) {
                @Override
                public int read() throws IOException {
                    hurry();
                    return in.read();
                }

                @Override
                public int read(byte[] bytes, int from, int length) throws IOException {
                    hurry();
                    return in.read(bytes, from, length);
                }

                private void hurry() throws IOException {
                    if (timeoutMillis == 1 && in.available() == 0) {
                        throw new SocketTimeoutException("there is nothing yet");
                    }
                }
            };
        }
    }
}
