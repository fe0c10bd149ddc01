package io.wellkeeper.zookeeper;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/** Finds the locks that are in use: walks the directories that may hold names with the prefix, level by level. */
final class NameWalk {

    private final Link link;
    private final String prefix;
    private final Queue<String> names = new ConcurrentLinkedQueue<>();

    NameWalk(Link link, String prefix) {
        this.link = link;
        this.prefix = prefix;
    }

    CompletionStage<List<String>> run() {
        return Stages.plain(directory(link.site().root(), "").thenApply(done -> List.copyOf(names)));
    }

    /**
     * @param path of the directory
     * @param above what names in it begin with
     */
    private CompletableFuture<Void> directory(String path, String above) {
        CompletableFuture<List<String>> listed = new CompletableFuture<>();
        link.requests()
                .getChildren(
                        path,
                        false,
                        (int code, String p, Object context, @Nullable List<String> children) -> {
                            if (code == Code.OK.intValue() && children != null) {
                                listed.complete(children);
                            } else if (code == Code.NONODE.intValue()) {
                                listed.complete(List.of());
                            } else {
                                listed.completeExceptionally(link.failure(code, "list", path));
                            }
                        },
                        null);
        return listed.thenCompose(children -> CompletableFuture.allOf(children.stream()
                .map(child -> child(path + '/' + child, child, above))
                .toArray(CompletableFuture<?>[]::new)));
    }

    private CompletableFuture<Void> child(String path, String node, String above) {
        if (LockPaths.isLock(node)) {
            return LockPaths.lockSegment(node)
                    .map(above::concat)
                    .filter(name -> name.startsWith(prefix))
                    .map(name -> lock(path, name))
                    .orElseGet(() -> CompletableFuture.completedFuture(null));
        }
        return LockPaths.decode(node)
                .map(segment -> above + segment + '/')
                .filter(below -> below.startsWith(prefix) || prefix.startsWith(below))
                .map(below -> directory(path, below))
                .orElseGet(() -> CompletableFuture.completedFuture(null));
    }

    private CompletableFuture<Void> lock(String path, String name) {
        CompletableFuture<Void> result = new CompletableFuture<>();
        link.requests()
                .exists(
                        path,
                        false,
                        (int code, String p, Object context, @Nullable Stat stat) -> {
                            if (code == Code.OK.intValue() && stat != null && stat.getNumChildren() > 0) {
                                names.add(name);
                            }
                            if (code == Code.OK.intValue() || code == Code.NONODE.intValue()) {
                                result.complete(null);
                            } else {
                                result.completeExceptionally(link.failure(code, "look at", path));
                            }
                        },
                        null);
        return result;
    }
}
