package io.wellkeeper.zookeeper;

import static io.wellkeeper.zookeeper.Await.failure;
import static io.wellkeeper.zookeeper.Await.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockSource;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.StoreRefusalException;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.testservers.ZooKeeperOptions;
import io.wellkeeper.testservers.ZooKeeperProcess;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Quotas;
import org.apache.zookeeper.StatsTrack;
import org.apache.zookeeper.ZKUtil;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What no waiting removes ends a call, in the words of the server. */
@Tag("full")
@ExtendWith(SharedServer.class)
@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RefusalTest {

    private static final String NOBODY = "no.such.host.invalid:2181,neither.is.this.invalid:2181";
    private static final ClientOptions PATIENT = ClientOptions.builder()
            .storeTimeout(Duration.ofMinutes(2)) // so that nothing here ends because of it
            .build();

    private final ZooKeeperProcess server;

    RefusalTest(ZooKeeperProcess server) {
        this.server = server;
    }

    private static void assertRefused(ThrowingCallable call, String words) {
        assertThatThrownBy(call)
                .isExactlyInstanceOf(LockStoreException.class)
                .hasMessageContaining(words)
                .hasMessageNotContaining("hidden")
                .hasCauseInstanceOf(StoreRefusalException.class);
    }

    private static void assertRefused(LockSource client, String words) {
        DistributedLock lock = client.lock("refused");
        assertRefused(lock::lock, words);
        assertRefused(lock::tryLock, words);
        assertRefused(() -> lock.tryLock(60, TimeUnit.SECONDS), words);
    }

    @Test
    void lock_nobodyKnowsTheHosts_failsAtOnce() {
        assertRefused(() -> LockClient.connect("zookeeper://" + NOBODY, PATIENT), "no.such.host.invalid");
        try (LeaseClient client = LeaseClient.connect("zookeeper-simple://" + NOBODY, PATIENT)) {
            assertRefused(client, "no.such.host.invalid");
        }
    }

    @Test
    void lock_nodesAreAnotherUsers_failsAtOnce() {
        String theirs = "://anna:hidden@" + server.address() + "/theirs";
        String ours = "://bob:hidden@" + server.address() + "/theirs";
        try (LockClient first = LockClient.connect("zookeeper" + theirs, PATIENT);
                LeaseClient simple = LeaseClient.connect("zookeeper-simple" + theirs, PATIENT);
                LockClient client = LockClient.connect("zookeeper" + ours, PATIENT);
                LeaseClient simpleClient = LeaseClient.connect("zookeeper-simple" + ours, PATIENT)) {
            assertLocks(first);
            assertLocks(simple);
            assertRefused(client, "access rights");
            assertRefused(simpleClient, "access rights");
        }
    }

    @Test
    void lock_directoryAboveIsAnotherUsers_failsAtOnce() {
        String theirs = "zookeeper://anna:hidden@" + server.address() + "/above";
        String ours = "://bob:hidden@" + server.address() + "/above?root=/ours";
        try (LockClient first = LockClient.connect(theirs, PATIENT);
                LockClient client = LockClient.connect("zookeeper" + ours, PATIENT);
                LeaseClient simpleClient = LeaseClient.connect("zookeeper-simple" + ours, PATIENT)) {
            assertLocks(first);
            assertRefused(client, "access rights");
            assertRefused(simpleClient, "access rights");
        }
    }

    @Test
    void lock_chrootOfAGivenConnectionIsMissing_failsAtOnce() throws Exception {
        try (ZooKeeper handle = new ZooKeeper(server.address() + "/missing", 10_000, event -> {});
                CuratorFramework curator = CuratorFrameworkFactory.newClient(
                        server.address() + "/missing", 10_000, 5_000, new RetryOneTime(1))) {
            curator.start();
            try (LockClient client = LockClient.over(ZooKeeperTicketStore.over(handle), PATIENT);
                    LeaseClient simpleClient = LeaseClient.over(
                            ZooKeeperLeaseStore.over(curator, ZooKeeperStoreOptions.defaults()), PATIENT)) {
                assertRefused(client, "chroot");
                assertRefused(simpleClient, "chroot");
                assertThatThrownBy(() -> client.latch("refused").trySetCount(1))
                        .isInstanceOf(LockStoreException.class)
                        .hasMessageContaining("chroot");
            }
        }
    }

    /** What a directory cannot be made for is told, also where the ticket itself is only told that it is missing. */
    @Test
    void lock_directoryCannotBeMade_failsAtOnce() throws Exception {
        try (ZooKeeper admin = new ZooKeeper(server.address(), 10_000, event -> {})) {
            admin.create("/mortal", new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
            String ours = "://" + server.address() + "?root=/mortal/ours";
            try (LockClient client = LockClient.connect("zookeeper" + ours, PATIENT);
                    LeaseClient simpleClient = LeaseClient.connect("zookeeper-simple" + ours, PATIENT)) {
                assertRefused(client, "NOCHILDRENFOREPHEMERALS");
                assertRefused(simpleClient, "NOCHILDRENFOREPHEMERALS");
            }
        }
    }

    /** Rights for whoever has created a node, on a connection that is nobody's. */
    @Test
    void lock_accessRightsAreNobodys_failsAtOnce() {
        assertRightsAreRefused(ZooKeeperStoreOptions.defaults().root("/nobodys").acl(Ids.CREATOR_ALL_ACL));
    }

    @Test
    void lock_providerOfAccessRightsThrows_failsAtOnce() {
        ACLProvider provider = new ACLProvider() {
            @Override
            public List<ACL> getDefaultAcl() {
                return Ids.OPEN_ACL_UNSAFE;
            }

            @Override
            public List<ACL> getAclForPath(String path) {
                if (path.equals("/unruled")) {
                    throw new IllegalStateException("no rule for " + path);
                }
                return getDefaultAcl();
            }
        };
        assertRightsAreRefused(ZooKeeperStoreOptions.defaults().root("/unruled").acl(provider));
    }

    private void assertRightsAreRefused(ZooKeeperStoreOptions options) {
        try (CuratorFramework curator =
                CuratorFrameworkFactory.newClient(server.address(), 10_000, 5_000, new RetryOneTime(1))) {
            curator.start();
            try (LockClient client = LockClient.over(ZooKeeperTicketStore.over(curator, options), PATIENT);
                    LeaseClient simpleClient = LeaseClient.over(ZooKeeperLeaseStore.over(curator, options), PATIENT)) {
                assertRefused(client, "INVALIDACL");
                assertRefused(simpleClient, "INVALIDACL");
            }
        }
    }

    @Test
    void connect_serverWantsCredentials_failsAtOnce() {
        ZooKeeperOptions strict = ZooKeeperOptions.defaults()
                .property("zookeeper.enforce.auth.enabled", "true")
                .property("zookeeper.enforce.auth.schemes", "digest");
        try (ZooKeeperProcess own = ZooKeeperProcess.start(strict)) {
            assertRefused(() -> LockClient.connect("zookeeper://" + own.address(), PATIENT), "credentials");
            try (LeaseClient client = LeaseClient.connect("zookeeper-simple://" + own.address(), PATIENT)) {
                assertRefused(client, "credentials");
            }
            try (LockClient client = LockClient.connect("zookeeper://anna:hidden@" + own.address(), PATIENT)) {
                assertLocks(client);
            }
        }
    }

    /** As an ensemble does that keeps the sessions of its clients on the servers that they are connected to. */
    @Test
    void lock_serversKeepLocalSessionsOnly_failsAtOnce() throws Exception {
        try (ServerSocket one = new ServerSocket(0);
                ServerSocket two = new ServerSocket(0)) {
            String alone = "server.1=127.0.0.1:" + one.getLocalPort() + ":" + two.getLocalPort();
            one.close();
            two.close();
            try (ZooKeeperProcess own = ZooKeeperProcess.start(ZooKeeperOptions.defaults()
                            .lines("standaloneEnabled=false", alone, "localSessionsEnabled=true"));
                    LockClient client = LockClient.connect("zookeeper://" + own.address(), PATIENT);
                    LeaseClient simpleClient = LeaseClient.connect("zookeeper-simple://" + own.address(), PATIENT)) {
                assertRefused(client, "EPHEMERALONLOCALSESSION");
                assertRefused(simpleClient, "EPHEMERALONLOCALSESSION");
            }
        }
    }

    @Test
    void tryAcquire_noConnectionCanBeMade_failsEachTime(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("client"), "zookeeper.clientCnxnSocket=no.such.Socket\n");
        try (LeaseClient client =
                LeaseClient.connect("zookeeper-simple://" + server.address() + "?client.config=" + file, PATIENT)) {
            for (int attempt = 1; attempt <= 3; attempt++) {
                assertThatThrownBy(() -> client.lock("refused").lock())
                        .isInstanceOf(LockStoreException.class)
                        .hasMessageContaining("no.such.Socket");
            }
        }
    }

    /** Nobody but the user makes another. */
    @Test
    void lock_givenConnectionWasClosed_failsAtOnce() throws Exception {
        try (ZooKeeper handle = new ZooKeeper(server.address(), 10_000, event -> {});
                CuratorFramework curator =
                        CuratorFrameworkFactory.newClient(server.address(), 10_000, 5_000, new RetryOneTime(1))) {
            curator.start();
            try (LockClient byHandle = LockClient.over(ZooKeeperTicketStore.over(handle), PATIENT);
                    LockClient byCurator = LockClient.over(ZooKeeperTicketStore.over(curator), PATIENT);
                    LeaseClient simple = LeaseClient.over(
                            ZooKeeperLeaseStore.over(curator, ZooKeeperStoreOptions.defaults()), PATIENT)) {
                assertLocks(byHandle);
                assertLocks(byCurator);
                assertLocks(simple);
                handle.close();
                curator.close();

                assertRefused(byHandle, "CLOSED");
                assertRefused(byCurator, "STOPPED");
                assertRefused(simple, "STOPPED");
            }
        }
    }

    private static void assertLocks(LockSource client) {
        client.lock("theirs").lock();
        client.lock("theirs").unlock();
    }

    /** For a moment nothing can be created; requests that must not be late are protected again afterwards. */
    @Test
    void tryAcquire_quotaHasRefusedAnEra_beginsOneWhenThereIsRoomAgain() throws Exception {
        assertHasAnEraWhenThereIsRoomAgain(true);
    }

    @Test
    void tryAcquire_quotaHasRefusedTheDirectoryOfEras_beginsOneWhenThereIsRoomAgain() throws Exception {
        assertHasAnEraWhenThereIsRoomAgain(false);
    }

    private static void assertHasAnEraWhenThereIsRoomAgain(boolean withDirectories) throws Exception {
        String all = "/wellkeeper";
        try (ZooKeeperProcess strict =
                        ZooKeeperProcess.start(ZooKeeperOptions.defaults().lines("enforceQuota=true"));
                ZooKeeper admin = new ZooKeeper(strict.address(), 10_000, event -> {});
                ZooKeeperLeaseStore store =
                        ZooKeeperLeaseStore.of(StoreUri.parse("zookeeper-simple://" + strict.address()))) {
            for (String path : List.of(all, all + "/simple", all + "/eras")) {
                if (withDirectories || path.equals(all)) {
                    admin.create(path, new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
                }
            }
            LeaseRequest request = new LeaseRequest("quota", "somebody", Duration.ofSeconds(8), "");
            String quota = limit(admin, all, ZKUtil.listSubTreeBFS(admin, all).size());
            assertThat(failure(store.tryAcquire(request))).hasMessageContaining("QUOTAEXCEEDED");
            ZKUtil.deleteRecursive(admin, quota);

            assertThat(get(store.tryAcquire(request))).isPresent();

            assertThat(admin.getChildren(all + "/eras", false)).hasSize(1);
        }
    }

    /** Allows no more nodes. */
    private static String limit(ZooKeeper admin, String path, int nodes) throws Exception {
        StatsTrack limits = new StatsTrack();
        limits.setCount(-1);
        limits.setBytes(-1);
        limits.setByteHardLimit(-1);
        limits.setCountHardLimit(nodes);
        String quota = Quotas.quotaPath(path);
        admin.create(quota, new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        admin.create(Quotas.limitPath(path), limits.getStatsBytes(), Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        admin.create(
                Quotas.statPath(path), new StatsTrack().getStatsBytes(), Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        return quota;
    }
}
