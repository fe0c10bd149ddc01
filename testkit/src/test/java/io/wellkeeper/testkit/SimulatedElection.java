package io.wellkeeper.testkit;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockOptions;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.StoreRefusalException;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One schedule of an election: a few clients with one or two candidates each, and faults, under simulated time and by
 * one thread, as in {@link Simulation}. Two candidates never lead at once, and a candidate that does not stand never
 * leads. Each candidate is told in turns that it leads and that it was deposed, with growing tokens. When all is quiet
 * and any candidate stands, one of them leads.
 */
final class SimulatedElection extends SimulatedSchedule {

    private enum Fault {
        CUT,
        PAUSE,
        KILL,
        CLOSE,
        EXPIRE,
        FREEZE,
        RESTART,
        LOSE_REPLY,
        EVICT,
        WAKE,
        LOSE_DATA,
        REFUSE,
        REVOKE
    }

    private static final Set<Fault> NEVER_NESTED =
            EnumSet.of(Fault.PAUSE, Fault.KILL, Fault.CLOSE, Fault.FREEZE, Fault.REVOKE);
    private static final String NAME = "election";
    private static final Duration STORE = Duration.ofSeconds(2);
    private static final Duration QUIET = Duration.ofSeconds(5); // long enough for a refused candidate to try again
    private static final Duration CALLBACKS = Duration.ofMillis(100); // longer than any callback is delayed
    private static final int HURRIED = 3; // one schedule of so many has short sessions

    private final List<Fault> faults;
    private final Duration session; // as a rule so long that heartbeats are rare, and hide no bugs
    private final LockOptions options;
    private final List<Client> clients = new ArrayList<>();
    private final List<SimulatedCandidate> candidates = new ArrayList<>(); // of all clients, former ones too
    private final Set<Long> evicted = new HashSet<>(); // tokens of removed tickets; an owner leads until it is told
    private boolean refuses; // the store refuses each request for a ticket
    private @Nullable Client leaving; // this client is being closed, or was
    private boolean over;
    private @Nullable SimulatedCandidate last; // the candidate that was last seen to lead
    private long lastToken;

    private record Client(SimulatedProcess process, LockClient locks, List<SimulatedCandidate> candidates) {}

    /** A store that now and then refuses each request for a ticket. */
    private final class Refusing extends ForwardingTicketStore {

        Refusing(InMemoryTicketStore store) {
            super(store);
        }

        @Override
        protected TicketQueue queue(TicketQueue sound, String name) {
            return new ForwardingQueue(sound) {
                @Override
                public CompletionStage<Place> take(TicketRequest request) {
                    return refuses
                            ? CompletableFuture.failedStage(new StoreRefusalException("full"))
                            : queue.take(request);
                }
            };
        }
    }

    SimulatedElection(long seed) {
        super(seed, Duration.ofSeconds(20));
        this.faults = some(random, List.of(Fault.values()));
        beSlow(200_000_000);
        if (random.nextInt(4) == 0) {
            server.showDeparted();
        }
        this.session = random.nextInt(HURRIED) == 0 ? Duration.ofSeconds(3) : Duration.ofSeconds(60);
        this.options = LockOptions.builder()
                .handOvers(random.nextInt(4))
                .retain(random.nextInt(3) == 0)
                .build();
        int count = 2 + random.nextInt(2);
        for (int i = 0; i < count; i++) {
            clients.add(newClient());
        }
    }

    private Client newClient() {
        SimulatedProcess process =
                newProcess(store -> faults.contains(Fault.REFUSE) ? new Refusing((InMemoryTicketStore) store) : store);
        LockClient locks = LockClient.over(
                process.store(),
                ClientOptions.builder()
                        .sessionTimeout(session)
                        .storeTimeout(STORE)
                        .closeTimeout(Duration.ZERO)
                        .lockDefaults(options)
                        .time(process)
                        .callbackExecutor(process.anyExecutor())
                        .build());
        List<SimulatedCandidate> own = new ArrayList<>();
        int count = 1 + random.nextInt(2);
        for (int i = 0; i < count; i++) {
            own.add(new SimulatedCandidate(this, process, locks, NAME));
        }
        candidates.addAll(own);
        return new Client(process, locks, own);
    }

    @Override
    void run() {
        beginPreemption();
        takeSteps(15 + random.nextInt(26));
        heal();
        settle();
        close();
    }

    @Override
    void step() {
        int who = random.nextInt(clients.size());
        Client client = clients.get(who);
        if (over || client == leaving) {
            return;
        }
        if (!faults.isEmpty() && random.nextInt(4) == 0) {
            strike(who, client);
        } else if (client.process().isRunning()) {
            client.candidates().get(random.nextInt(client.candidates().size())).act();
        }
    }

    private void strike(int who, Client client) {
        SimulatedProcess process = client.process();
        Fault fault = faults.get(random.nextInt(faults.size()));
        if (preemption.depth() > 0 && NEVER_NESTED.contains(fault)) {
            return;
        }
        note(fault.toString(), process);
        List<Slip> line = server.tickets().slips(NAME);
        switch (fault) {
            case CUT -> toggle(process.isCut(), process::mend, process::cut);
            case PAUSE -> toggle(process.isPaused(), process::resume, process::pause);
            case KILL -> {
                process.kill();
                clients.set(who, newClient());
            }
            case CLOSE -> {
                if (process.isWell() && !server.isFrozen()) {
                    leave(client);
                    clients.set(who, newClient());
                }
            }
            case EXPIRE -> { // a leader relies on its session to end only by the server's clock
                if (line.isEmpty() || !process.owns(line.get(0))) {
                    process.expireSessions();
                }
            }
            case FREEZE -> toggle(server.isFrozen(), server::unfreeze, server::freeze);
            case RESTART -> server.restart();
            case LOSE_REPLY -> server.loseNextReplyOfTake();
            case EVICT -> {
                if (!line.isEmpty()) {
                    int index = random.nextInt(line.size());
                    evicted.add(line.get(index).token());
                    server.removeTicket(NAME, index);
                }
            }
            case WAKE -> server.wakeForNothing();
            case LOSE_DATA -> server.loseData();
            case REFUSE -> refuses = !refuses;
            case REVOKE -> {
                if (process.isRunning()) {
                    revoke(client);
                }
            }
        }
    }

    private void leave(Client client) {
        leaving = client;
        client.locks().close();
        if (client.candidates().stream().anyMatch(SimulatedCandidate::leads)) {
            fail("leads, though its client is closed");
        }
    }

    private void revoke(Client client) {
        try {
            client.locks().admin().requestRevocation(NAME, "simulated");
        } catch (LockStoreException unknown) {
            note("unknown: " + unknown);
        }
    }

    @Override
    void goOn() {
        if (random.nextInt(10) == 0 && !server.isFrozen() && living().stream().allMatch(SimulatedProcess::isWell)) {
            preemption.without(() -> {
                beQuiet();
                return null;
            });
        } else {
            goOn(300, session);
        }
    }

    /** Asks the leaders only now and then, because the question makes a leader look whether it still leads. */
    @Override
    void look() {
        if (candidates.stream().filter(one -> one.isTold()).count() > 1 || random.nextInt(10) == 0) {
            judge();
        }
    }

    private void judge() {
        int leading = 0;
        for (SimulatedCandidate one : candidates) {
            OptionalLong now = one.leadership();
            if (now.isPresent() && one.isSure(false)) {
                fail("leads, and does not stand");
            }
            if (now.isPresent() && !evicted.contains(now.getAsLong() >> 6)) {
                leading++;
                long token = now.getAsLong();
                if (token < lastToken || (token == lastToken && one != last)) {
                    fail("leads with token " + token + " after " + lastToken);
                }
                last = one;
                lastToken = token;
            }
        }
        if (leading > 1) {
            fail(leading + " lead at once");
        }
    }

    private List<SimulatedProcess> living() {
        return clients.stream().map(Client::process).toList();
    }

    private List<SimulatedCandidate> present() {
        return clients.stream().flatMap(client -> client.candidates().stream()).toList();
    }

    /** Waits until all must be settled, and judges: a candidate that still sleeps then would sleep for ever. */
    private void beQuiet() {
        pass(QUIET);
        note("quiet");
        judge();
        List<SimulatedCandidate> untold = untold();
        List<Slip> unused = unused();
        if (!untold.isEmpty() || !unused.isEmpty()) {
            pass(CALLBACKS);
            untold.retainAll(untold());
            if (!untold.isEmpty()) {
                fail("leads, or does not, and was not told so");
            }
            pass(QUIET);
            unused.retainAll(unused());
            if (!unused.isEmpty()) {
                fail("could lead, and sleeps, or does not stand: " + unused);
            }
        }
        throwIfWrong();
    }

    private List<SimulatedCandidate> untold() {
        return new ArrayList<>(
                present().stream().filter(one -> one.isTold() != one.leads()).toList());
    }

    /**
     * The tickets of living clients that should not be there: the first ticket if no candidate of its client leads, and
     * any ticket if no candidate of its client stands.
     */
    private List<Slip> unused() {
        List<Slip> line = server.tickets().slips(NAME);
        List<Slip> unused = new ArrayList<>();
        for (Client client : clients) {
            boolean sleeps = client.candidates().stream().noneMatch(SimulatedCandidate::leads);
            boolean gone = client.candidates().stream().allMatch(one -> one.isSure(false));
            line.stream()
                    .filter(slip -> client.process().owns(slip) && !mayBeKept(line, slip))
                    .filter(slip -> gone || (sleeps && slip == line.get(0)))
                    .forEach(unused::add);
        }
        return unused;
    }

    /** A client that retains its locks may keep an unused ticket while no other client has one. */
    private boolean mayBeKept(List<Slip> line, Slip slip) {
        return options.retain() && line.stream().allMatch(other -> other.owner() == slip.owner());
    }

    /**
     * Ends the faults and waits until each client has found out what has happened to it, and dead sessions have ended.
     */
    private void heal() {
        over = true;
        candidates.forEach(SimulatedCandidate::becomeQuiet);
        refuses = false;
        server.hideDeparted();
        healAll(living());
        judge();
        pass(session.plus(QUIET));
        throwIfWrong();
        for (SimulatedCandidate one : present()) {
            if (!one.isSure(true) && !one.isSure(false)) {
                one.campaign();
            }
        }
    }

    /** Each candidate that stands leads in turn, is told that it is asked to step down, and does so. */
    private void settle() {
        beQuiet();
        for (int standing = standing(); standing > 0; standing = standing()) {
            Optional<SimulatedCandidate> leader =
                    present().stream().filter(SimulatedCandidate::leads).findFirst();
            if (leader.isEmpty()) {
                fail(standing + " stand, and none leads");
            } else {
                int before = leader.get().asked();
                revoke(clients.get(random.nextInt(clients.size())));
                pass(QUIET);
                if (leader.get().asked() != before + 1) {
                    fail("asked once, and told " + (leader.get().asked() - before) + " times");
                }
                leader.get().stepDown();
            }
            beQuiet();
        }
        if (present().stream().anyMatch(SimulatedCandidate::leads)) {
            fail("nobody stands, and one leads");
        }
        throwIfWrong();
    }

    private int standing() {
        return (int) present().stream().filter(one -> one.isSure(true)).count();
    }

    /**
     * Closes the clients while some candidates stand. A session whose beginning was not acknowledged has no client, and
     * ends by the server's clock. The notice of a request to step down may be left if the request came when the last
     * candidate had just gone; the next candidate reads it.
     */
    private void close() {
        for (SimulatedCandidate one : present()) {
            if (!one.isClosed() && random.nextBoolean()) {
                one.campaign();
            }
        }
        pass(QUIET);
        clients.forEach(this::leave);
        pass(QUIET);
        if (candidates.stream().anyMatch(one -> one.isTold() && !one.process().isDead())) {
            fail("never told that it leads no more");
        }
        failIfAnyIsLeft(leftBut("session "));
        pass(session);
        failIfAnyIsLeft(leftBut("notice "));
        failIfTasksAreLeft(all.stream().filter(process -> !process.isDead()).toList());
        throwIfWrong();
    }

    private List<String> leftBut(String kind) {
        return server.leftovers().stream()
                .filter(what -> !what.startsWith(kind) && !what.startsWith("notice "))
                .toList();
    }
}
