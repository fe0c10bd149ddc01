package io.wellkeeper.benchmarks;

import io.wellkeeper.jdbc.PromptSockets;
import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.concurrent.atomic.LongAdder;

/**
 * Sockets of database drivers, which count round trips, all together: one begins with what is sent first after something
 * was received, and whatever is sent before the next answer belongs to it. A driver makes one by its class name.
 */
public final class CountingSockets extends PromptSockets {

    private static final LongAdder REQUESTS = new LongAdder();

    /** For the driver. */
    public CountingSockets() {}

    /** The round trips that have begun in this process. */
    static long requests() {
        return REQUESTS.sum();
    }

    @Override
    public Socket createSocket() {
        return new CountingSocket();
    }

    private static final class CountingSocket extends PromptSocket {

        private volatile boolean sending;

        @Override
        public OutputStream getOutputStream() throws IOException {
            return new FilterOutputStream(super.getOutputStream()) {
                @Override
                public void write(int one) throws IOException {
                    sent();
                    out.write(one);
                }

                @Override
                public void write(byte[] bytes, int from, int length) throws IOException {
                    sent();
                    out.write(bytes, from, length);
                }
            };
        }

        private void sent() {
            if (!sending) {
                sending = true;
                REQUESTS.increment();
            }
        }

        @Override
        public InputStream getInputStream() throws IOException {
            return new FilterInputStream(super.getInputStream()) {
                @Override
                public int read() throws IOException {
                    int one = in.read();
                    sending = false;
                    return one;
                }

                @Override
                public int read(byte[] bytes, int from, int length) throws IOException {
                    int count = in.read(bytes, from, length);
                    sending = false;
                    return count;
                }
            };
        }
    }
}
