package io.wellkeeper.micrometer;

import static java.util.Objects.requireNonNull;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockListener;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A {@link LockListener} that counts and times what happens to the locks of a client, in a {@link MeterRegistry}.
 *
 * <pre>{@code
 * LockMetrics metrics = new LockMetrics(registry);
 * LockClient client = LockClient.connect(uri, ClientOptions.builder().listener(metrics).build());
 * metrics.watch(client);
 * }</pre>
 *
 * <table>
 * <caption>The meters</caption>
 * <tr><th>name</th><th>kind</th><th>tags</th></tr>
 * <tr><td>{@code wellkeeper.lock.acquire}</td><td>timer, from the call to its outcome</td>
 *     <td>{@code lock.group}, {@code mode}, {@code outcome} ({@code acquired}, {@code timeout}, {@code busy},
 *     {@code interrupted}, {@code cancelled}, {@code error})</td></tr>
 * <tr><td>{@code wellkeeper.lock.hold}</td><td>timer, from acquisition to the end</td>
 *     <td>{@code lock.group}, {@code mode}, {@code outcome} ({@code released}, {@code lost})</td></tr>
 * <tr><td>{@code wellkeeper.lock.waiting}</td><td>gauge, calls that wait now</td><td>{@code lock.group}, {@code mode}</td></tr>
 * <tr><td>{@code wellkeeper.lock.held}</td><td>gauge, locks, or permits of semaphores, that are held now</td>
 *     <td>{@code lock.group}, {@code mode}</td></tr>
 * <tr><td>{@code wellkeeper.lock.handover}</td><td>counter, passed on without a round trip</td>
 *     <td>{@code lock.group}, {@code mode}</td></tr>
 * <tr><td>{@code wellkeeper.store.trouble}</td><td>counter</td><td>{@code store}, its address</td></tr>
 * <tr><td>{@code wellkeeper.session.remaining}</td><td>gauge, see {@link LockClient#sessionRemaining()}</td><td></td></tr>
 * </table>
 *
 * <p>{@code mode} is {@code lock}, {@code read}, {@code write} or {@code permits}; {@code lock.group} is the
 * {@linkplain LockGroups group} of the name, and never the name itself. A reentrant acquisition is not counted.
 *
 * <p>A registry that throws costs no lock: the client logs it, and goes on. The client's callback executor must run its
 * tasks in order, or the gauges of waiting calls and held locks may be wrong; the client's own executor does.
 */
public final class LockMetrics implements LockListener {

    private static final String OUTCOME = "outcome";
    private static final String ACQUIRED = "acquired";
    private static final String RELEASED = "released";
    private static final String LOST = "lost";

    private final MeterRegistry registry;
    private final LockGroups groups;
    private final Tags common;
    private final MeterProvider<Timer> acquire;
    private final MeterProvider<Timer> hold;
    private final MeterProvider<Counter> handOver;
    private final MeterProvider<Counter> trouble;
    private final Map<Mode, ConcurrentMap<String, Numbers>> uses = new EnumMap<>(Mode.class); // by the group
    private final ConcurrentMap<Acquisition, Numbers> waiting = new ConcurrentHashMap<>();
    // of held permits, how many were given back
    private final ConcurrentMap<Acquisition, Integer> givenBack = new ConcurrentHashMap<>();

    /**
     * The tags of one mode of a group, alone and with each outcome, and the numbers of calls that wait and of locks
     * that are held now.
     */
    private record Numbers(Tags tags, Map<String, Tags> outcomes, LongAdder waiting, LongAdder held) {

        Numbers(String group, Mode mode) {
            this(
                    Tags.of("lock.group", group, "mode", lowerCase(mode)),
                    new HashMap<>(),
                    new LongAdder(),
                    new LongAdder());
            Stream.concat(
                            Stream.of(ACQUIRED, RELEASED, LOST),
                            Arrays.stream(Outcome.values()).map(LockMetrics::tag))
                    .forEach(outcome -> outcomes.put(outcome, tags.and(OUTCOME, outcome)));
        }

        Tags with(String outcome) {
            return requireNonNull(outcomes.get(outcome));
        }
    }

    /**
     * Uses groups of its own.
     *
     * @param registry the registry of the meters
     */
    public LockMetrics(MeterRegistry registry) {
        this(registry, new LockGroups(), Tags.empty());
    }

    /**
     * @param registry the registry of the meters
     * @param groups the groups; they may be shared with {@link LockObservations}
     * @param common tags for all of these meters, to tell apart the clients of a program that has several
     */
    public LockMetrics(MeterRegistry registry, LockGroups groups, Iterable<Tag> common) {
        this.registry = registry;
        this.groups = groups;
        this.common = Tags.of(common);
        Arrays.stream(Mode.values()).forEach(mode -> uses.put(mode, new ConcurrentHashMap<>()));
        this.acquire = Timer.builder("wellkeeper.lock.acquire")
                .description("Time from a call that wants a lock to its outcome")
                .tags(this.common)
                .withRegistry(registry);
        this.hold = Timer.builder("wellkeeper.lock.hold")
                .description("Time from the acquisition of a lock to its end")
                .tags(this.common)
                .withRegistry(registry);
        this.handOver = Counter.builder("wellkeeper.lock.handover")
                .description("Locks passed to another thread without a round trip")
                .tags(this.common)
                .withRegistry(registry);
        this.trouble = Counter.builder("wellkeeper.store.trouble")
                .description("How often the store could not be reached, or refused")
                .tags(this.common)
                .withRegistry(registry);
    }

    /**
     * Registers a gauge of how long a client's session is known to live, for as long as the client is in use.
     *
     * @param client the client that has this listener
     */
    public void watch(LockClient client) {
        TimeGauge.builder(
                        "wellkeeper.session.remaining",
                        client,
                        TimeUnit.NANOSECONDS,
                        one -> one.sessionRemaining().toNanos())
                .description("For how long the session lives for certain if the store is never heard of again")
                .tags(common)
                .register(registry);
    }

    /**
     * Creates the meters of a group at zero, before anything happens in the group. Otherwise each meter appears only
     * with its first event. Prometheus's {@code rate} and {@code increase} do not see that event, so an alarm on losses
     * misses the first loss.
     *
     * @param name the name of a lock of the group, such as {@code orders/1}; or the group itself, such as
     *     {@code orders/*}, unless your own grouping function makes another group of it
     * @param mode the mode in which such locks are acquired
     */
    public void declare(String name, Mode mode) {
        Numbers numbers = numbers(name, mode);
        for (Outcome outcome : Outcome.values()) {
            acquire.withTags(numbers.with(tag(outcome)));
        }
        acquire.withTags(numbers.with(ACQUIRED));
        hold.withTags(numbers.with(RELEASED));
        hold.withTags(numbers.with(LOST));
        handOver.withTags(numbers.tags);
    }

    @Override
    public void contended(Acquisition what) {
        Numbers numbers = numbers(what);
        numbers.waiting.increment();
        waiting.put(what, numbers);
    }

    @Override
    public void acquired(Acquisition what, Duration waited) {
        endOfCall(what, waited, ACQUIRED).held.add(what.permits());
    }

    @Override
    public void gaveUp(Acquisition what, Duration waited, Outcome outcome, @Nullable Throwable failure) {
        endOfCall(what, waited, tag(outcome));
    }

    private static String tag(Outcome outcome) {
        return switch (outcome) {
            case TIMED_OUT -> "timeout";
            case BUSY, INTERRUPTED, CANCELLED -> lowerCase(outcome);
            case FAILED -> "error";
        };
    }

    private Numbers endOfCall(Acquisition what, Duration waited, String outcome) {
        Numbers ofWait = waiting.remove(what);
        if (ofWait != null) {
            ofWait.waiting.decrement();
        }
        Numbers numbers = ofWait == null ? numbers(what) : ofWait;
        acquire.withTags(numbers.with(outcome)).record(waited);
        return numbers;
    }

    @Override
    public void handedOver(Acquisition what) {
        Numbers ofWait = waiting.get(what);
        handOver.withTags((ofWait == null ? numbers(what) : ofWait).tags).increment();
    }

    @Override
    public void partlyReleased(Acquisition what, int permits) {
        givenBack.merge(what, permits, Integer::sum);
        numbers(what).held.add(-permits);
    }

    @Override
    public void released(Acquisition what, Duration held) {
        endOfHold(what, held, RELEASED);
    }

    @Override
    public void lost(Acquisition what, Duration held, String reason) {
        endOfHold(what, held, LOST);
    }

    private void endOfHold(Acquisition what, Duration held, String outcome) {
        Numbers numbers = numbers(what);
        Integer before = what.permits() == 1 ? null : givenBack.remove(what); // one permit is given back as a whole
        numbers.held.add((before == null ? 0 : before) - what.permits());
        hold.withTags(numbers.with(outcome)).record(held);
    }

    @Override
    public void storeTrouble(String store, String problem) {
        trouble.withTag("store", store).increment();
    }

    private Numbers numbers(Acquisition what) {
        return numbers(what.lock(), what.mode());
    }

    private Numbers numbers(String name, Mode mode) {
        ConcurrentMap<String, Numbers> ofMode = requireNonNull(uses.get(mode));
        String group = groups.of(name);
        Numbers known = ofMode.get(group);
        return known != null ? known : ofMode.computeIfAbsent(group, fresh -> register(fresh, mode));
    }

    private Numbers register(String group, Mode mode) {
        Numbers fresh = new Numbers(group, mode);
        gauge("wellkeeper.lock.waiting", "Calls that wait for a lock", fresh.tags, fresh.waiting);
        gauge("wellkeeper.lock.held", "Locks, or permits of semaphores, that are held", fresh.tags, fresh.held);
        return fresh;
    }

    private void gauge(String name, String description, Tags tags, LongAdder number) {
        Gauge.builder(name, number, LongAdder::sum)
                .description(description)
                .tags(common)
                .tags(tags)
                .register(registry);
    }

    private static String lowerCase(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
