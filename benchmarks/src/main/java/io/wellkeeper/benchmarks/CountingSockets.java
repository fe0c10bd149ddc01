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
 * Sockets for database drivers that count the round trips of all these sockets together. A round trip begins with the
 * first data that is sent after data was received; all data that is sent before the next answer belongs to it. A driver
 * makes such a socket by its class name.
 */
public final class CountingSockets extends PromptSockets {

    private static final LongAdder REQUESTS = new LongAdder();

    /** Called by the driver. */
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
