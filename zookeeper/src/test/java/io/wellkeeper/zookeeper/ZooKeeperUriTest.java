package io.wellkeeper.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wellkeeper.spi.LeaseStoreProvider;
import io.wellkeeper.spi.StoreProvider;
import io.wellkeeper.spi.StoreUri;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ServiceLoader;
import org.apache.zookeeper.ZooDefs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ZooKeeperUriTest {

    private static final String CANARY = "s3cret-canary";

    @Test
    void of_everything_isUnderstood() {
        ZooKeeperUri uri = ZooKeeperUri.of(
                StoreUri.parse("zookeeper://anna:" + CANARY + "@h1:2181,h2:2182/shop/north/?root=/our/locks"));

        assertThat(uri.hosts()).isEqualTo("h1:2181,h2:2182");
        assertThat(uri.chroot()).isEqualTo("/shop/north");
        assertThat(uri.options().root()).isEqualTo("/our/locks");
        assertThat(uri.options().acl().getDefaultAcl()).isEqualTo(ZooDefs.Ids.CREATOR_ALL_ACL);
        assertThat(uri.digest().orElseThrow()).asString().isEqualTo("anna:" + CANARY);
        assertThat(uri.address()).doesNotContain(CANARY);
        assertThat(uri.toString()).doesNotContain(CANARY);
    }

    @Test
    void of_clientConfig_isPassedToTheClient(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(
                directory.resolve("client.properties"), "zookeeper.client.secure=true\njute.maxbuffer=77\n");

        ZooKeeperUri uri = ZooKeeperUri.of(StoreUri.parse("zookeeper://h?client.config=" + file));

        assertThat(uri.clientConfig().getProperty("zookeeper.client.secure")).isEqualTo("true");
        assertThat(uri.clientConfig().getProperty("jute.maxbuffer")).isEqualTo("77");
    }

    @Test
    void of_nothingButAHost_hasDefaults() {
        ZooKeeperUri uri = ZooKeeperUri.of(StoreUri.parse("zookeeper://h"));

        assertThat(uri.chroot()).isEmpty();
        assertThat(uri.options().root()).isEqualTo("/wellkeeper");
        assertThat(uri.options().acl().getDefaultAcl()).isEqualTo(ZooDefs.Ids.OPEN_ACL_UNSAFE);
        assertThat(uri.clientConfig().getProperty("jute.maxbuffer")).isEqualTo("16777215");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "zookeeper:///chroot",
                "zookeeper://h?rot=/x",
                "zookeeper://h?root=x",
                "zookeeper://h?root=/",
                "zookeeper://h?root=/x/",
                "zookeeper://h//x",
                "zookeeper://s3cret-canary@h",
                "zookeeper://:s3cret-canary@h",
                "zookeeper://u:s3cret-canary@h?client.config=/no/such/file"
            })
    void of_whatIsWrong_isRefusedWithoutSecrets(String uri) {
        StoreUri parsed = StoreUri.parse(uri);

        assertThatThrownBy(() -> ZooKeeperUri.of(parsed))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining(CANARY);
    }

    @Test
    void providers_areFoundByTheirSchemes() {
        assertThat(ServiceLoader.load(StoreProvider.class))
                .anySatisfy(provider -> assertThat(provider.schemes()).containsExactly("zookeeper"));
        assertThat(ServiceLoader.load(LeaseStoreProvider.class))
                .anySatisfy(provider -> assertThat(provider.schemes()).containsExactly("zookeeper-simple"));
    }
}
