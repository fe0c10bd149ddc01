package io.wellkeeper.zookeeper;

import io.wellkeeper.spi.StoreUri;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.ConfigException;
import org.apache.zookeeper.common.PathUtils;
import org.apache.zookeeper.common.ZKConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a store URI says: {@code zookeeper://user:password@h1:2181,h2:2181/chroot?root=/path&client.config=/file}.
 *
 * @param hosts the servers, without a chroot: that is put in front of every path instead, so that it can be created
 * @param chroot a path without a slash at its end; empty if there is none
 * @param digest user and password
 * @param clientConfig TLS, SASL and the like
 * @param options root and access rights
 * @param address without secrets
 */
record ZooKeeperUri(
        String hosts,
        String chroot,
        Optional<byte[]> digest,
        ZKClientConfig clientConfig,
        ZooKeeperStoreOptions options,
        String address) {

    private static final Logger LOG = LoggerFactory.getLogger(ZooKeeperUri.class);

    private static final Set<String> PARAMETERS = Set.of("root", "client.config");
    /** A list of some 250 000 waiters; no number that anybody would choose. */
    static final int ROOMY_BUFFER = (16 << 20) - 1;

    static ZooKeeperUri of(StoreUri uri) {
        uri.refuseOtherParametersThan(PARAMETERS);
        if (uri.hosts().isEmpty()) {
            throw new IllegalArgumentException(
                    "store URI names no host; expected " + uri.scheme() + "://host1:2181,host2:2181/chroot");
        }
        String chroot =
                uri.path().endsWith("/") ? uri.path().substring(0, uri.path().length() - 1) : uri.path();
        if (!chroot.isEmpty()) {
            PathUtils.validatePath(chroot);
        }
        Optional<byte[]> digest = uri.userInfo().map(ZooKeeperUri::digest);
        ZooKeeperStoreOptions options = ZooKeeperStoreOptions.defaults();
        if (uri.parameter("root").isPresent()) {
            options = options.root(uri.parameter("root").get());
        }
        if (digest.isPresent()) {
            options = options.acl(ZooDefs.Ids.CREATOR_ALL_ACL);
        } else {
            LOG.warn("{} is used without a user: everybody who reaches it may take and remove its locks", uri);
        }
        return new ZooKeeperUri(uri.hosts(), chroot, digest, clientConfig(uri), options, uri.toString());
    }

    private static byte[] digest(String userInfo) {
        if (userInfo.indexOf(':') <= 0) {
            throw new IllegalArgumentException("the user of a ZooKeeper URI needs a password: user:password@host");
        }
        return userInfo.getBytes(StandardCharsets.UTF_8);
    }

    private static ZKClientConfig clientConfig(StoreUri uri) {
        ZKClientConfig config = new ZKClientConfig();
        if (uri.parameter("client.config").isPresent()) {
            Path file = Path.of(uri.parameter("client.config").get());
            try {
                config.addConfiguration(file);
            } catch (ConfigException wrong) {
                throw new IllegalArgumentException("cannot read the client.config " + file, wrong);
            }
        }
        if (config.getProperty(ZKConfig.JUTE_MAXBUFFER) == null) {
            config.setProperty(ZKConfig.JUTE_MAXBUFFER, Integer.toString(ROOMY_BUFFER));
        }
        return config;
    }
}
