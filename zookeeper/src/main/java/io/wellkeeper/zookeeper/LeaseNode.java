package io.wellkeeper.zookeeper;

import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.SessionLostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult.SetDataResult;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/** The node of one lock, as one owner sees it. Its data is the owner, a line feed, and the metadata. */
final class LeaseNode {

    private static final int ATTEMPTS = 10;

    private final Link link;
    private final RequestWindow requests;
    private final Eras eras;
    private final String path;
    private final String name;
    private final String owner;
    private @Nullable LockStoreException directoriesTrouble; // used on ZooKeeper's event thread

    LeaseNode(Link link, String name, String owner) {
        this.link = link;
        this.requests = link.requests();
        this.eras = link.eras();
        this.path = link.site().path(name);
        this.name = name;
        this.owner = owner;
    }

    /** Empty if another owner has the lock. */
    CompletableFuture<Optional<Lease>> create(LeaseRequest request) {
        CompletableFuture<Optional<Lease>> result = new CompletableFuture<>();
        try {
            link.room().enter(owner, Room.sizeOf(path));
        } catch (LockStoreException noRoom) {
            result.completeExceptionally(noRoom);
            return result;
        }
        create(request, 1, result);
        return result.whenComplete((lease, failure) -> {
            if (lease == null || lease.isEmpty()) {
                link.room().leave(owner);
            }
        });
    }

    private void create(LeaseRequest request, int attempt, CompletableFuture<Optional<Lease>> result) {
        eras.current().thenAccept(era -> create(era, request, attempt, result)).exceptionally(failure -> {
            result.completeExceptionally(Stages.plain(failure));
            return null;
        });
    }

    private void create(String era, LeaseRequest request, int attempt, CompletableFuture<Optional<Lease>> result) {
        byte[] data = (owner + '\n' + request.metadata()).getBytes(StandardCharsets.UTF_8);
        Op create = Op.create(path, data, link.site().aclOf(path), CreateMode.EPHEMERAL);
        long sent = System.nanoTime();
        requests.multi(
                Eras.stamped(era, create),
                (code, p, context, results) -> {
                    if (code == Code.OK.intValue() && results.get(0) instanceof SetDataResult stamp) {
                        give(sent, lease(stamp.getStat().getMzxid(), request.ttl()), result);
                    } else if (code == Code.OK.intValue() || code == Code.NODEEXISTS.intValue()) {
                        readExisting(sent, request.ttl(), result);
                    } else if (eras.wasOver(era, code, results)) {
                        create(request, attempt, result);
                    } else if (code == Code.NONODE.intValue() && attempt < ATTEMPTS) {
                        link.createParents(link.site().ancestors(path), this::directoryAnswered);
                        create(request, attempt + 1, result);
                    } else if (code == Code.NONODE.intValue() && directoriesTrouble != null) {
                        result.completeExceptionally(directoriesTrouble);
                    } else {
                        result.completeExceptionally(link.failure(code, "create", path));
                    }
                },
                null);
    }

    /** @param sent when the request was sent that only a majority could answer */
    private void give(long sent, Lease lease, CompletableFuture<Optional<Lease>> result) {
        link.prove(sent).whenComplete((proved, failure) -> {
            if (failure == null) {
                result.complete(Optional.of(lease));
            } else {
                result.completeExceptionally(failure);
            }
        });
    }

    /** Keeps a refusal for later: it is no problem if the directory exists already. */
    private void directoryAnswered(String directory, int code) {
        link.refusalOfParent(code, directory).ifPresent(refusal -> directoriesTrouble = refusal);
    }

    /** The existing node may be this owner's, from an earlier request whose answer was lost. */
    private void readExisting(long sent, Duration ttl, CompletableFuture<Optional<Lease>> result) {
        requests.getData(
                path,
                false,
                (int code, String p, Object context, byte @Nullable [] data, @Nullable Stat stat) -> {
                    if (code == Code.OK.intValue() && stat != null && isOurs(data, stat)) {
                        give(sent, lease(stat.getCzxid(), ttl), result);
                    } else if (code == Code.OK.intValue()
                            || code == Code.NONODE.intValue()
                            || code == Code.NOAUTH.intValue()) {
                        result.complete(Optional.empty());
                    } else {
                        result.completeExceptionally(link.failure(code, "read", path));
                    }
                },
                null);
    }

    /**
     * Whether the lease's very node exists, with the consent of a majority. Like a heartbeat, it bypasses the window.
     */
    CompletableFuture<Boolean> exists(Lease lease) {
        CompletableFuture<Boolean> result = new CompletableFuture<>();
        CompletionStage<Void> proof = link.heartbeat(true);
        link.zooKeeper()
                .exists(
                        path,
                        false,
                        (int code, String p, Object context, @Nullable Stat stat) ->
                                proof.whenComplete((proved, unproved) -> {
                                    if (unproved != null) {
                                        fail(unproved, result);
                                    } else if (code == Code.OK.intValue() && stat != null) {
                                        result.complete(
                                                isOurs(stat) && lease.token().orElse(-1) == stat.getCzxid());
                                    } else {
                                        fail(code, "look at", result);
                                    }
                                }),
                        null);
        return result;
    }

    /**
     * True if this call deleted the owner's node. If the link has ended, no caller tries again: then the deletion is
     * repeated until the answer is known or the ZooKeeper session has ended.
     */
    CompletableFuture<Boolean> delete() {
        CompletableFuture<Boolean> result = new CompletableFuture<>();
        delete(false, result);
        return result.whenComplete((deleted, failure) -> {
            if (failure == null) {
                link.room().leave(owner);
            }
        });
    }

    private void delete(boolean byMajority, CompletableFuture<Boolean> result) {
        eras.current().thenAccept(era -> delete(era, byMajority, result)).exceptionally(failure -> {
            if (!link.isOutlived() || !link.later(() -> delete(byMajority, result))) {
                fail(Stages.plain(failure), result);
            }
            return null;
        });
    }

    /**
     * Looks first whose node it is. A {@code sync} suffices to find that the node is the owner's. That it is another's,
     * or missing, is believed only with the consent of a majority: a leader that was deposed, and has not noticed, may
     * not have the node.
     */
    private void delete(String era, boolean byMajority, CompletableFuture<Boolean> result) {
        int[] caughtUp = byMajority ? link.consent() : sync();
        requests.getData(
                path,
                false,
                (int code, String p, Object context, byte @Nullable [] data, @Nullable Stat stat) -> {
                    if (caughtUp[0] != Code.OK.intValue()) {
                        notDeleted(caughtUp[0], "read", result);
                    } else if (code == Code.OK.intValue() && stat != null && isOurs(data, stat)) {
                        delete(era, stat.getVersion(), result);
                    } else if (code != Code.OK.intValue() && code != Code.NONODE.intValue()) {
                        notDeleted(code, "read", result);
                    } else if (byMajority) {
                        result.complete(false);
                    } else {
                        delete(true, result);
                    }
                },
                null);
    }

    private void delete(String era, int version, CompletableFuture<Boolean> result) {
        Op delete = Op.delete(path, version);
        requests.multi(
                Eras.within(era, delete),
                (code, p, context, results) -> {
                    if (code == Code.OK.intValue()) {
                        result.complete(true);
                    } else if (eras.wasOver(era, code, results)) {
                        delete(false, result);
                    } else {
                        notDeleted(code, "delete", result);
                    }
                },
                null);
    }

    private void notDeleted(int code, String doing, CompletableFuture<Boolean> result) {
        boolean again = link.isOutlived() && Link.mayPass(code) && link.later(() -> delete(false, result));
        if (!again) {
            fail(code, doing, result);
        }
    }

    private int[] sync() {
        int[] answer = {Code.CONNECTIONLOSS.intValue()}; // if an error loses the answer
        requests.sync(path, (code, p, context) -> answer[0] = code, null);
        return answer;
    }

    /** A lease that is not there, or whose session has ended, is no failure. */
    private void fail(int code, String doing, CompletableFuture<Boolean> result) {
        if (code == Code.NONODE.intValue()) {
            result.complete(false);
        } else {
            fail(link.failure(code, doing, path), result);
        }
    }

    private static void fail(Throwable failure, CompletableFuture<Boolean> result) {
        if (failure instanceof SessionLostException) {
            result.complete(false);
        } else {
            result.completeExceptionally(failure);
        }
    }

    private boolean isOurs(byte @Nullable [] data, Stat stat) {
        byte[] expected = (owner + '\n').getBytes(StandardCharsets.UTF_8);
        return isOurs(stat)
                && data != null
                && data.length >= expected.length
                && Arrays.equals(data, 0, expected.length, expected, 0, expected.length);
    }

    private boolean isOurs(Stat stat) {
        return stat.getEphemeralOwner() == link.sessionId();
    }

    private Lease lease(long czxid, Duration ttl) {
        Duration validity = LeaderContact.validity(link.timeout());
        return new Lease(name, owner, OptionalLong.of(czxid), validity.compareTo(ttl) < 0 ? validity : ttl);
    }
}
