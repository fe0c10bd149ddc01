package io.wellkeeper.testservers;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/**
 * Has the kernel drop packets, as if a cable were pulled out. A connection stays open, and the kernel repeats
 * unacknowledged packets after pauses that double; a client that tries to connect gets no answer. A {@link TcpProxy}
 * that swallows everything is different: it accepts connections meanwhile, and passes all data on at once afterwards.
 *
 * <p>Uses {@code nft}, which needs root or the capability {@code CAP_NET_ADMIN}, and Linux 5.12 or newer. The rules are
 * in a table of their own, which the kernel removes when this JVM has ended, however the JVM ends.
 */
public final class PacketFilter implements AutoCloseable {

    private static final AtomicInteger COUNT = new AtomicInteger();

    private final Process nft;

    private PacketFilter(Process nft) {
        this.nft = nft;
    }

    /** Whether this process may drop packets. */
    public static boolean isPossible() {
        return Possible.TRIED;
    }

    /**
     * Drops all packets to and from some ports of this machine's loopback interface, until it is closed.
     *
     * @param ports the ports on which servers listen
     * @return the filter; close it to let the packets pass again
     * @throws IllegalStateException if there is no {@code nft}, or it refuses; the message has its output
     */
    public static PacketFilter drop(Collection<Integer> ports) {
        String table = "inet wellkeeper_" + ProcessHandle.current().pid() + "_" + COUNT.incrementAndGet();
        String set = ports.stream().map(String::valueOf).collect(Collectors.joining(", ", "{ ", " }"));
        try {
            Process nft = new ProcessBuilder("nft", "--interactive")
                    .redirectErrorStream(true)
                    .start();
            PacketFilter filter = new PacketFilter(nft);
            try {
                Writer rules = nft.outputWriter(StandardCharsets.UTF_8);
                rules.write("add table " + table + " { flags owner; }\n");
                rules.write("add chain " + table + " input { type filter hook input priority 0; }\n");
                rules.write("add rule " + table + " input iif lo tcp dport " + set + " drop\n");
                rules.write("add rule " + table + " input iif lo tcp sport " + set + " drop\n");
                rules.write("list table " + table + "\n");
                rules.flush();
                filter.awaitTable();
            } catch (IOException | IllegalStateException refused) {
                filter.close();
                throw refused;
            }
            return filter;
        } catch (IOException failed) {
            throw new IllegalStateException("nft cannot be run", failed);
        }
    }

    /**
     * Waits until {@code nft} lists the rules: then they are in force. The list ends with a brace at the start of a
     * line.
     */
    private void awaitTable() throws IOException {
        BufferedReader said = nft.inputReader(StandardCharsets.UTF_8);
        StringBuilder all = new StringBuilder();
        for (String line = said.readLine(); line != null && !line.equals("}"); line = said.readLine()) {
            all.append(line).append('\n');
            if (line.startsWith("Error") || line.contains("Operation not permitted")) {
                throw new IllegalStateException("nft refuses: " + line);
            }
        }
        if (!all.toString().contains("sport")) {
            throw new IllegalStateException("nft refuses: " + all);
        }
    }

    /** Lets the packets pass again. */
    @Override
    public void close() {
        try {
            nft.getOutputStream().close(); // the program ends, and the kernel removes its table
            nft.waitFor();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } catch (InterruptedException interrupted) {
            nft.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    /** Whether packets can be dropped; tried at the first question. */
    private static final class Possible {

        private static final boolean TRIED = tried();

        private static boolean tried() {
            try (PacketFilter none = drop(List.of(1))) {
                return true;
            } catch (IllegalStateException not) {
                return false;
            }
        }
    }
}
