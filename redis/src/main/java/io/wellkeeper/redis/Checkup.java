package io.wellkeeper.redis;

import io.lettuce.core.api.async.RedisAsyncCommands;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * What an operator should know of how the servers are set up. Where {@code CONFIG} is not allowed, as with most providers,
 * what only it shows is passed over.
 */
final class Checkup {

    private static final Duration CLOCKS = Duration.ofSeconds(1);

    private Checkup() {}

    /**
     * Asks each master that has some of these partitions.
     *
     * @param clientName what the connections are called
     * @return in sentences, with the address in front where there are several masters
     */
    static CompletionStage<List<String>> of(
            Topology topology, List<Keys.Partition> partitions, Wires wires, String clientName) {
        List<CompletableFuture<RedisServer>> homes = partitions.stream()
                .map(partition -> topology.master(partition.slot(), false).toCompletableFuture())
                .toList();
        return Stages.all(homes).thenCompose(all -> {
            List<RedisServer> masters = all.stream().distinct().toList();
            List<CompletableFuture<List<String>>> found = new ArrayList<>();
            for (RedisServer master : masters) {
                String prefix = masters.size() == 1 ? "" : master.address() + ": ";
                found.add(Stages.map(
                        of(wires, master, clientName),
                        said -> said.stream().map(prefix::concat).toList()));
            }
            return Stages.map(
                    Stages.all(found),
                    said -> said.stream().flatMap(List::stream).toList());
        });
    }

    private static CompletionStage<List<String>> of(Wires wires, RedisServer server, String clientName) {
        return wires.to(server, clientName)
                .thenCompose(wire -> of(wire.commands()).whenComplete((said, failure) -> wires.release(wire)));
    }

    private static CompletionStage<List<String>> of(RedisAsyncCommands<String, String> server) {
        CompletionStage<String> info = server.info();
        CompletionStage<Optional<String>> save = server.configGet("save")
                .thenApply(answer -> Optional.ofNullable(answer.get("save")))
                .exceptionally(notAllowed -> Optional.empty());
        return info.thenCombine(save, (text, saves) -> ofSettings(parse(text), saves))
                .thenCompose(found -> clock(server).thenApply(ahead -> {
                    List<String> all = new ArrayList<>(found);
                    ofClock(ahead).ifPresent(all::add);
                    return all;
                }));
    }

    private static Map<String, String> parse(String info) {
        Map<String, String> fields = new HashMap<>();
        info.lines()
                .map(line -> line.split(":", 2))
                .filter(pair -> pair.length == 2)
                .forEach(pair -> {
                    fields.put(pair[0], pair[1].strip());
                });
        return fields;
    }

    private static List<String> ofSettings(Map<String, String> info, Optional<String> save) {
        List<String> found = new ArrayList<>();
        String policy = info.getOrDefault("maxmemory_policy", "noeviction");
        if (!policy.equals("noeviction")) {
            found.add("maxmemory-policy is " + policy
                    + ": a server that runs out of memory may throw locks away; set it to" + " noeviction");
        }
        if ("0".equals(info.get("aof_enabled")) && save.filter(String::isEmpty).isPresent()) {
            found.add("the server keeps nothing on disk: locks do not survive its restart; set appendonly to yes");
        }
        if (!"0".equals(info.getOrDefault("connected_slaves", "0")) && !info.containsKey("min_slaves_good_slaves")) {
            found.add(
                    "there are replicas, but min-replicas-to-write is 0: a master that is cut off goes on granting locks"
                            + " that the next master knows nothing of; set it to 1 at least");
        }
        return found;
    }

    /** How far the server's clock is ahead of this machine's; what the answer took to come counts for neither. */
    private static CompletionStage<Duration> clock(RedisAsyncCommands<String, String> server) {
        Instant sent = Instant.now();
        return server.time().thenApply(words -> {
            Instant there = Instant.ofEpochSecond(Long.parseLong(words.get(0)))
                    .plus(Long.parseLong(words.get(1)), ChronoUnit.MICROS);
            Instant received = Instant.now();
            if (there.isBefore(sent)) {
                return Duration.between(sent, there);
            }
            return there.isAfter(received) ? Duration.between(received, there) : Duration.ZERO;
        });
    }

    static Optional<String> ofClock(Duration ahead) {
        if (ahead.abs().compareTo(CLOCKS) <= 0) {
            return Optional.empty();
        }
        String seconds = String.format(Locale.ROOT, "%.1f", ahead.abs().toMillis() / 1000.0);
        return Optional.of(
                "the server's clock is " + seconds + " seconds " + (ahead.isNegative() ? "behind" : "ahead of")
                        + " this machine's: let both be set by NTP; a clock that is set forward ends sessions");
    }
}
