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
 * Packets that the kernel drops, as behind a cable that is pulled out. A connection stays open, and the kernel sends again what was
 * not acknowledged, after pauses that double; whoever connects gets no answer. A {@link TcpProxy} that swallows all accepts
 * connections meanwhile, and passes the rest on at once afterwards.
 *
 * <p>By {@code nft}, which needs root or the capability {@code CAP_NET_ADMIN}, and Linux 5.12 or newer. The rules are in a table of
 * their own, which the kernel removes when this JVM has ended, however it ends.
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
     * @param ports where something listens
     * @return what drops them
     * @throws IllegalStateException if there is no {@code nft}, or it refuses, with what it wrote
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

    /** The rules hold when they are listed, which ends with a brace at the beginning of a line. */
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

    /** Tried when it is asked for first. */
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
