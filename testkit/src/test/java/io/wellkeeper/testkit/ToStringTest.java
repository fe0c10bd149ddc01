package io.wellkeeper.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.DistributedMultiLock;
import io.wellkeeper.DistributedReadWriteLock;
import io.wellkeeper.LeaderElection;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.LeaseHandle;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockOptions;
import io.wellkeeper.MultiLockHandle;
import io.wellkeeper.Permits;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Each object that users get says in a log which lock it is, of which client, and how it stands. */
class ToStringTest {

    @RegisterExtension
    final InMemoryLocks locks = new InMemoryLocks();

    private final LockClient client = locks.client("web-1");
    private final LeaseClient leases = locks.leaseClient("web-2");

    @Test
    void toString_ofClients_saysWhetherTheyAreOpen() {
        String store = "store " + locks.server().address();
        assertThat(client).hasToString("LockClient[web-1, " + store + ", open]");
        assertThat(leases).hasToString("LeaseClient[web-2, " + store + ", open]");
        assertThat(client.admin()).hasToString("LockAdmin[" + store + ", client web-1]");
        client.close();
        leases.close();
        assertThat(client).hasToString("LockClient[web-1, " + store + ", closed]");
        assertThat(leases).hasToString("LeaseClient[web-2, " + store + ", closed]");
    }

    @Test
    void toString_ofStores_isTheirAddress() {
        InMemoryTicketStore store = locks.connection("web-1");
        assertThat(store).hasToString("InMemoryTicketStore[" + store.address() + "]");
        assertThat(new ForwardingTicketStore(store)).hasToString("ForwardingTicketStore[" + store.address() + "]");
        InMemoryLeaseStore leaseStore = new InMemoryLeaseStore(locks.server());
        assertThat(leaseStore).hasToString("InMemoryLeaseStore[" + store.address() + "]");
        assertThat(new ForwardingLeaseStore(leaseStore)).hasToString("ForwardingLeaseStore[" + store.address() + "]");
    }

    @Test
    void toString_ofLock_saysWhetherThisThreadHoldsIt() {
        DistributedLock lock = client.lock("a");
        assertThat(lock).hasToString("DistributedLock[a, not held by this thread, client web-1]");
        lock.lock();
        assertThat(lock).hasToString("DistributedLock[a, held by this thread, client web-1]");
        assertThat(lock.newCondition("full"))
                .hasToString("DistributedCondition[full, lock a, held by this thread, client web-1]");
        lock.unlock();
        assertThat(leases.lock("b")).hasToString("DistributedLock[b, not held by this thread, client web-2]");
    }

    @Test
    void toString_ofReadWriteLock_tellsItsSidesApart() {
        DistributedReadWriteLock lock = client.readWriteLock("a");
        lock.readLock().lock();
        assertThat(lock)
                .hasToString("DistributedReadWriteLock[a, read lock held by this thread,"
                        + " write lock not held by this thread, client web-1]");
        assertThat(lock.readLock()).hasToString("DistributedLock[read lock of a, held by this thread, client web-1]");
        assertThat(lock.writeLock())
                .hasToString("DistributedLock[write lock of a, not held by this thread, client web-1]");
        lock.readLock().unlock();
        LockHandle reader = lock.readLock().tryAcquire().orElseThrow();
        assertThat(reader).hasToString("LockHandle[read lock of a, held, client web-1]");
        reader.close();
    }

    @Test
    void toString_ofMultiLock_namesAllMembers() {
        DistributedMultiLock both = client.all("b", "a");
        both.lock();
        assertThat(both).hasToString("DistributedMultiLock[[a, b], held by this thread, client web-1]");
        both.unlock();
        assertThat(both).hasToString("DistributedMultiLock[[a, b], not held by this thread, client web-1]");
    }

    @Test
    void toString_ofHandles_saysHowTheyEnded() throws InterruptedException {
        LockHandle handle = client.lock("a").acquire();
        MultiLockHandle both = client.all("b", "c").acquire();
        Permits permits = client.semaphore("s", 3).acquire(2);
        LeaseHandle lease = leases.acquireLease("d", Duration.ofMinutes(1));
        assertThat(handle).hasToString("LockHandle[a, held, client web-1]");
        assertThat(both).hasToString("MultiLockHandle[[b, c], held, client web-1]");
        assertThat(permits).hasToString("Permits[s, 2 permits, held, client web-1]");
        assertThat(lease).hasToString("LeaseHandle[d, held, client web-2]");
        handle.close();
        both.close();
        permits.close();
        lease.close();
        assertThat(handle).hasToString("LockHandle[a, released, client web-1]");
        assertThat(both).hasToString("MultiLockHandle[[b, c], released, client web-1]");
        assertThat(permits).hasToString("Permits[s, 2 permits, released, client web-1]");
        assertThat(lease).hasToString("LeaseHandle[d, released, client web-2]");
    }

    @Test
    void toString_ofWhatWasLost_saysSo() throws InterruptedException {
        DistributedLock lock = client.lock("a");
        DistributedMultiLock both = client.all("b", "c");
        lock.lock();
        both.lock();
        LockHandle handle = client.lock("d").acquire();
        MultiLockHandle bothHandle = client.all("e", "f").acquire();
        client.close();
        assertThat(lock).hasToString("DistributedLock[a, lost by this thread, client web-1]");
        assertThat(both).hasToString("DistributedMultiLock[[b, c], lost by this thread, client web-1]");
        assertThat(handle).hasToString("LockHandle[d, lost, client web-1]");
        assertThat(bothHandle).hasToString("MultiLockHandle[[e, f], lost, client web-1]");
    }

    @Test
    void toString_ofWhatTheStoreCounts_asksNothing() {
        int before = locks.server().requests();
        assertThat(client.semaphore("s", 3)).hasToString("DistributedSemaphore[s, 3 permits, client web-1]");
        assertThat(client.barrier("b", 2)).hasToString("DistributedBarrier[b, 2 parties, client web-1]");
        assertThat(client.latch("l")).hasToString("DistributedLatch[l, client web-1]");
        assertThat(locks.server().requests()).isEqualTo(before);
    }

    @Test
    void toString_ofCandidate_saysWhetherItLeads() throws InterruptedException {
        CountDownLatch elected = new CountDownLatch(1);
        LeaderElection election = client.election("e", new LeaderElection.Listener() {
            @Override
            public void elected(long fencingToken) {
                elected.countDown();
            }

            @Override
            public void deposed(String reason) {}
        });
        assertThat(election).hasToString("LeaderElection[e, not standing, client web-1]");
        try (LockHandle other = client.lock("e").acquire()) {
            election.campaign();
            assertThat(other.isHeld()).isTrue();
            assertThat(election).hasToString("LeaderElection[e, standing, client web-1]");
        }
        assertThat(elected.await(1, TimeUnit.MINUTES)).isTrue();
        assertThat(election).hasToString("LeaderElection[e, leading, client web-1]");
        election.close();
        assertThat(election).hasToString("LeaderElection[e, closed, client web-1]");
    }

    @Test
    void toString_ofOptions_showsThem() {
        LockOptions lockOptions = LockOptions.builder()
                .retain(true)
                .reason("r")
                .label("order", "42")
                .build();
        assertThat(lockOptions)
                .hasToString("LockOptions[handOvers=16, handOverTime=PT0.1S, reentrant=true, retain=true,"
                        + " awaitRelease=false, interruptOnLoss=false, reason=r, labels={order=42}]");
        assertThat(ClientOptions.builder()
                        .clientName("web-1")
                        .lockDefaults(lockOptions)
                        .build())
                .hasToString(
                        "ClientOptions[clientName=web-1, sessionTimeout=PT10S, storeTimeout=PT5S, closeTimeout=PT5S,"
                                + " lockDefaults=" + lockOptions
                                + ", listener=false, callbackExecutor=false, time=false]");
    }
}
