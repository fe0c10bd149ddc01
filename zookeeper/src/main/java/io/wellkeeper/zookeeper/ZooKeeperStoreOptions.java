package io.wellkeeper.zookeeper;

import java.util.List;
import java.util.Objects;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.common.PathUtils;
import org.apache.zookeeper.data.ACL;

/** Where a store keeps its nodes, and who may touch them. Immutable. */
@SuppressWarnings("exports") // the types of Curator and ZooKeeper are in no module
public final class ZooKeeperStoreOptions {

    private static final ZooKeeperStoreOptions DEFAULTS =
            new ZooKeeperStoreOptions("/wellkeeper", sameForAll(ZooDefs.Ids.OPEN_ACL_UNSAFE));

    private final String root;
    private final ACLProvider acl;

    private ZooKeeperStoreOptions(String root, ACLProvider acl) {
        this.root = root;
        this.acl = acl;
    }

    /** {@return options with the root {@code /wellkeeper}, and nodes that everybody may touch} */
    public static ZooKeeperStoreOptions defaults() {
        return DEFAULTS;
    }

    /**
     * The same with another root: the node below which everything is kept.
     *
     * @param root an absolute path, within the chroot and the namespace if there are any
     * @return new options
     * @throws IllegalArgumentException if ZooKeeper does not allow such a path, or it is {@code /}
     */
    public ZooKeeperStoreOptions root(String root) {
        PathUtils.validatePath(root);
        if (root.equals("/")) {
            throw new IllegalArgumentException("the root is /; it must be a node of its own");
        }
        return new ZooKeeperStoreOptions(root, acl);
    }

    /**
     * The same with other access rights for every node that the store creates. Whoever uses the same locks needs all
     * rights: to read, create and delete.
     *
     * @param acl such as {@code ZooDefs.Ids.CREATOR_ALL_ACL}
     * @return new options
     */
    public ZooKeeperStoreOptions acl(List<ACL> acl) {
        return new ZooKeeperStoreOptions(root, sameForAll(List.copyOf(acl)));
    }

    /**
     * The same with access rights that depend on the path, by the provider that a {@code CuratorFramework} was built
     * with.
     *
     * @param acl asked with full paths
     * @return new options
     */
    public ZooKeeperStoreOptions acl(ACLProvider acl) {
        return new ZooKeeperStoreOptions(root, Objects.requireNonNull(acl, "acl"));
    }

    String root() {
        return root;
    }

    ACLProvider acl() {
        return acl;
    }

    @Override
    public String toString() {
        return "ZooKeeperStoreOptions[" + root + "]";
    }

    private static ACLProvider sameForAll(List<ACL> acl) {
        return new ACLProvider() {
            @Override
            public List<ACL> getDefaultAcl() {
                return acl;
            }

            @Override
            public List<ACL> getAclForPath(String path) {
                return acl;
            }
        };
    }
}
