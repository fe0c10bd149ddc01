package io.wellkeeper.torture;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** A command of Redis is a list of words. The commands of the locks call scripts by their digests. */
final class RedisProtocol implements Servers.Protocol {

    private static final List<String> ERRORS = List.of(
            "LOADING Redis is loading the dataset in memory",
            "MOVED 1 127.0.0.1:1",
            "CLUSTERDOWN The cluster is down",
            "READONLY You can't write against a read only replica.",
            "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
            "NOREPLICAS Not enough good replicas to write.",
            "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.",
            "TRYAGAIN Multiple keys request during rehashing of slot");

    @Override
    public Optional<String> kind(ByteBuffer request) {
        String[] lines = StandardCharsets.ISO_8859_1
                .decode(request.duplicate())
                .toString()
                .split("\r\n", 6);
        return lines.length > 4 && lines[2].equals("EVALSHA") ? Optional.of(lines[4]) : Optional.empty();
    }

    @Override
    public byte[] refuse(ByteBuffer request, int which) {
        return ("-" + ERRORS.get(which % ERRORS.size()) + "\r\n").getBytes(StandardCharsets.US_ASCII);
    }
}
