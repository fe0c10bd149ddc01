package io.wellkeeper.redis;

import io.lettuce.core.RedisCommandExecutionException;
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
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * Warnings for an operator about the configuration of the servers. Where {@code CONFIG} is not allowed, as with most
 * providers, the settings that only {@code CONFIG} shows are not checked. Where {@code INFO} is not allowed, a warning
 * says so.
 */
final class Checkup {

    private static final Duration CLOCKS = Duration.ofSeconds(1);

    private Checkup() {}

    /**
     * Checks each master that has some of these partitions.
     *
     * @param clientName what the connections are called
     * @return the warnings in sentences, with the master's address in front where there are several masters
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
        CompletionStage<Optional<String>> info =
                server.info().thenApply(Optional::of).exceptionally(Checkup::notAllowed);
        CompletionStage<Map<String, String>> config = setting(server, "save")
                .thenCombine(setting(server, "appendfsync"), (one, other) -> {
                    Map<String, String> both = new HashMap<>(one);
                    both.putAll(other);
                    return both;
                });
        return info.thenCombine(
                        config,
                        (text, settings) -> text.map(there -> ofSettings(parse(there), settings))
                                .orElse(List.of(
                                        "this user may not ask for INFO: how the server is set up cannot be seen, and nobody is"
                                                + " guarded against its restart without its data; allow +info")))
                .thenCompose(found -> clock(server).thenApply(ahead -> {
                    List<String> all = new ArrayList<>(found);
                    ofClock(ahead).ifPresent(all::add);
                    return all;
                }));
    }

    private static CompletionStage<Map<String, String>> setting(
            RedisAsyncCommands<String, String> server, String name) {
        return server.configGet(name)
                .thenApply(Optional::of)
                .exceptionally(Checkup::notAllowed)
                .thenApply(answer -> answer.orElse(Map.of()));
    }

    private static <T> Optional<T> notAllowed(Throwable refusal) {
        if (Stages.unwrap(refusal) instanceof RedisCommandExecutionException) {
            return Optional.empty();
        }
        throw new CompletionException(Stages.unwrap(refusal));
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

    private static List<String> ofSettings(Map<String, String> info, Map<String, String> config) {
        List<String> found = new ArrayList<>();
        String policy = info.getOrDefault("maxmemory_policy", "noeviction");
        if (!policy.equals("noeviction")) {
            found.add("maxmemory-policy is " + policy
                    + ": a server that runs out of memory may throw locks away; set it to" + " noeviction");
        }
        if ("0".equals(info.get("aof_enabled"))) {
            String save = config.get("save");
            String forgotten = save == null
                    ? "whatever no snapshot has"
                    : save.isEmpty() ? "all locks" : "the locks taken since the last snapshot";
            found.add("appendonly is no: a restart forgets " + forgotten
                    + ", and nobody is let in after it for as long as a session lasts; set it to yes");
        } else if ("no".equals(config.get("appendfsync"))) {
            found.add(
                    "appendfsync is no: a crash of the machine may forget the locks of the last half a minute; set it to"
                            + " everysec, or to always");
        }
        if ("err".equals(info.get("aof_last_write_status"))) {
            found.add("the server could not write its log when it last tried: is its disk full?");
        }
        if (!"0".equals(info.getOrDefault("connected_slaves", "0")) && !info.containsKey("min_slaves_good_slaves")) {
            found.add(
                    "there are replicas, but min-replicas-to-write is 0: a master that is cut off goes on granting locks"
                            + " that the next master knows nothing of; set it to 1 at least");
        }
        return found;
    }

    /**
     * How far the server's clock is ahead of this machine's; negative if it is behind. A time of the server between the
     * sending of the question and the receipt of the answer is no difference.
     */
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
