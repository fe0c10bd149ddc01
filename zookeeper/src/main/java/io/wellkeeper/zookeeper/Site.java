package io.wellkeeper.zookeeper;

import java.util.ArrayList;
import java.util.List;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.data.ACL;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where a store keeps its nodes.
 *
 * @param address for messages, without secrets
 * @param prefix chroot and namespace, without a slash at its end; may be empty
 * @param root the path of the top node of all that belongs to this kind of store
 * @param acl the access rights of the nodes
 */
record Site(String address, String prefix, String root, ACLProvider acl) {

    private static final Logger LOG = LoggerFactory.getLogger(Site.class);

    /** A node to be created, and how. */
    record Node(String path, CreateMode mode) {}

    static Site of(String address, String prefix, ZooKeeperStoreOptions options, String kind) {
        return new Site(address, prefix, prefix + options.root() + '/' + kind, options.acl());
    }

    static Site of(CuratorFramework curator, ZooKeeperStoreOptions options, String kind) {
        String namespace = curator.getNamespace();
        return of(
                curator.getZookeeperClient().getCurrentConnectionString(),
                namespace == null || namespace.isEmpty() ? "" : '/' + namespace,
                options,
                kind);
    }

    /** The path of a node that is of no lock, nor an ancestor of one: what is told of those does not change with it. */
    String pathBeside(String node) {
        return root.substring(0, root.lastIndexOf('/')) + "/eras/" + node;
    }

    /** The path of a lock's own node. */
    String path(String name) {
        return LockPaths.path(root, name);
    }

    /**
     * All ancestors of a path, outermost first. Chroot and namespace are made to stay; all below vanishes by itself some
     * time after it has become empty.
     */
    List<Node> ancestors(String path) {
        List<Node> nodes = new ArrayList<>();
        for (String directory : LockPaths.directories("", path)) {
            boolean stays = prefix.startsWith(directory + '/') || prefix.equals(directory);
            nodes.add(new Node(directory, stays ? CreateMode.PERSISTENT : CreateMode.CONTAINER));
        }
        return nodes;
    }

    /** The rights of a node that is to be created; none, which the servers refuse, if the user's provider throws. */
    List<ACL> aclOf(String path) {
        try {
            List<ACL> own = acl.getAclForPath(path);
            return own == null || own.isEmpty() ? acl.getDefaultAcl() : own;
        } catch (RuntimeException thrown) {
            LOG.error("the ACLProvider that was given does not say with which rights to create {}", path, thrown);
            return List.of();
        }
    }
}
