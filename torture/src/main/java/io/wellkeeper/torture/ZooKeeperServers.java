package io.wellkeeper.torture;

import io.wellkeeper.testservers.ProcessClock;
import io.wellkeeper.testservers.TcpProxy;
import io.wellkeeper.testservers.ZooKeeperEnsemble;
import io.wellkeeper.testservers.ZooKeeperOptions;
import io.wellkeeper.testservers.ZooKeeperProcess;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** One ZooKeeper server, or three. */
final class ZooKeeperServers implements Servers {

    private static final Pattern SESSION = Pattern.compile("sid=0x([0-9a-f]+)");
    private static final long SECRET = 0xB3415C00L; // ZooKeeper's servers make the password of a session from this
    private static final int PASSWORD = 16;
    private static final int CLOSE = -11;

    private final Random random = new Random(1);
    private final List<ZooKeeperProcess> servers;
    private final Optional<ZooKeeperEnsemble> ensemble;
    private final Optional<ProcessClock> clock;

    private ZooKeeperServers(
            List<ZooKeeperProcess> servers, Optional<ZooKeeperEnsemble> ensemble, Optional<ProcessClock> clock) {
        this.servers = servers;
        this.ensemble = ensemble;
        this.clock = clock;
    }

    static Servers single() {
        Optional<ProcessClock> clock = Servers.clock();
        return new ZooKeeperServers(List.of(ZooKeeperProcess.start(options(clock))), Optional.empty(), clock);
    }

    static Servers ensemble() {
        Optional<ProcessClock> clock = Servers.clock();
        ZooKeeperEnsemble ensemble = ZooKeeperEnsemble.startSeparable(options(clock));
        return new ZooKeeperServers(ensemble.servers(), Optional.of(ensemble), clock);
    }

    private static ZooKeeperOptions options(Optional<ProcessClock> clock) {
        return ZooKeeperOptions.defaults().environment(Servers.environment(clock));
    }

    @Override
    public String uri() {
        return "zookeeper://" + servers.stream().map(ZooKeeperProcess::address).collect(Collectors.joining(","));
    }

    @Override
    public Way way() {
        Map<Integer, TcpProxy> proxies = new LinkedHashMap<>();
        servers.forEach(server -> proxies.put(server.port(), TcpProxy.framed(server.port())));
        String addresses = proxies.values().stream().map(TcpProxy::address).collect(Collectors.joining(","));
        return new Way("zookeeper://" + addresses, proxies, false, Optional.empty());
    }

    @Override
    public Set<FaultKind> faults() {
        Set<FaultKind> faults = EnumSet.of(
                FaultKind.RESTART,
                FaultKind.OUTAGE,
                FaultKind.BROKEN_LOCK,
                FaultKind.STALL,
                FaultKind.HANG,
                FaultKind.DISK_FULL,
                FaultKind.CLOCK_FORWARD,
                FaultKind.CLOCK_BACK,
                FaultKind.END_SESSION);
        if (ensemble.isPresent()) {
            faults.addAll(EnumSet.of(FaultKind.KILL_LEADER, FaultKind.PAUSE_LEADER, FaultKind.SEPARATE_LEADER));
        }
        return possible(faults);
    }

    @Override
    public boolean forgets(FaultKind kind) {
        return kind == FaultKind.END_SESSION;
    }

    @Override
    public boolean hasClock() {
        return clock.isPresent();
    }

    @Override
    public void moveClock(Duration step) {
        clock.orElseThrow().move(step);
    }

    @Override
    public Runnable strike(FaultKind kind) {
        switch (kind) {
            case RESTART -> {
                servers.forEach(ZooKeeperProcess::kill);
                servers.forEach(ZooKeeperProcess::launch);
                return this::awaitServing;
            }
            case OUTAGE -> {
                servers.forEach(ZooKeeperProcess::kill);
                return () -> {
                    servers.forEach(ZooKeeperProcess::launch);
                    awaitServing();
                };
            }
            case STALL, HANG -> {
                servers.forEach(ZooKeeperProcess::pause);
                return () -> {
                    servers.forEach(ZooKeeperProcess::resume);
                    awaitServing();
                };
            }
            case KILL_LEADER -> {
                ZooKeeperProcess leader = leader();
                leader.kill();
                return () -> {
                    leader.launch();
                    awaitServing();
                };
            }
            case PAUSE_LEADER -> {
                ZooKeeperProcess leader = leader();
                leader.pause();
                return () -> {
                    leader.resume();
                    awaitServing();
                };
            }
            case SEPARATE_LEADER -> {
                ZooKeeperProcess leader = leader();
                ensemble.orElseThrow().separate(leader);
                return () -> {
                    ensemble.orElseThrow().unite(leader);
                    leader.restart(); // else it would believe for a while that it leads
                    awaitServing();
                };
            }
            case DISK_FULL -> {
                ZooKeeperProcess one = ensemble.isPresent() ? leader() : servers.get(0);
                one.fillDisk();
                return () -> {
                    one.freeDisk();
                    awaitServing();
                };
            }
            case END_SESSION -> {
                endSession();
                return () -> {};
            }
            default -> throw new IllegalArgumentException(kind + " is nothing that befalls ZooKeeper");
        }
    }

    private ZooKeeperProcess leader() {
        return ensemble.orElseThrow().leader();
    }

    private void awaitServing() {
        servers.forEach(ZooKeeperProcess::awaitServing);
    }

    /** Ends some session as its owner would: with the number of a session one can make its password. */
    private void endSession() {
        List<Long> sessions = new ArrayList<>();
        for (ZooKeeperProcess server : servers) {
            Matcher found = SESSION.matcher(server.ask("cons"));
            while (found.find()) {
                sessions.add(Long.parseUnsignedLong(found.group(1), 16));
            }
        }
        sessions.removeIf(id -> id == 0);
        if (sessions.isEmpty()) {
            return;
        }
        long session = sessions.get(random.nextInt(sessions.size()));
        byte[] password = new byte[PASSWORD];
        new Random(session ^ SECRET).nextBytes(password);
        try (Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), servers.get(0).port())) {
            ByteBuffer hello = ByteBuffer.allocate(4 + 8 + 4 + 8 + 4 + PASSWORD + 1);
            hello.putInt(0)
                    .putLong(0)
                    .putInt(2_000)
                    .putLong(session)
                    .putInt(PASSWORD)
                    .put(password);
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            DataInputStream in = new DataInputStream(socket.getInputStream());
            send(out, hello.array());
            in.readNBytes(in.readInt());
            send(out, ByteBuffer.allocate(8).putInt(1).putInt(CLOSE).array());
            in.readNBytes(in.readInt());
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static void send(DataOutputStream out, byte[] frame) throws IOException {
        out.writeInt(frame.length);
        out.write(frame);
        out.flush();
    }

    @Override
    public Optional<Protocol> protocol() {
        return Optional.of(new ZooKeeperProtocol());
    }

    @Override
    public List<String> leftovers() {
        List<String> found = new ArrayList<>();
        for (ZooKeeperProcess server : servers) {
            Map<String, String> counters = server.counters();
            for (String counter : List.of("zk_watch_count", "zk_ephemerals_count")) {
                if (!"0".equals(counters.get(counter))) {
                    found.add(counter + "-is-" + counters.get(counter));
                }
            }
        }
        return found;
    }

    @Override
    public void close() {
        ensemble.ifPresentOrElse(ZooKeeperEnsemble::close, () -> servers.forEach(ZooKeeperProcess::close));
        clock.ifPresent(ProcessClock::close);
    }
}
