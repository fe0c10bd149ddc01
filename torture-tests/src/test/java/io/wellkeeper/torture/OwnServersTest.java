package io.wellkeeper.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OwnServersTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = ' ',
            value = {
                "redis://h redis://PROXY",
                "redis://me:se%40cret@h:7000/0?sessionTimeout=4s redis://me:se%40cret@PROXY/0?sessionTimeout=4s",
                "zookeeper://zk1:2181,zk2,[::1]:2183/shop zookeeper://PROXY,PROXY,PROXY/shop",
                "jdbc:postgresql://db/shop?user=me jdbc:postgresql://PROXY/shop?user=me",
                "jdbc:mariadb://db:3307/shop jdbc:mariadb://PROXY/shop",
                "redlock://h1,h2:7000,h3 redlock://PROXY,PROXY,PROXY",
                "zookeeper-simple://zk1 zookeeper-simple://PROXY",
                "jdbc-simple:postgresql://db/shop jdbc-simple:postgresql://PROXY/shop"
            })
    void way_namesItsServers_leadsThroughAProxyForEach(String uri, String expected) {
        Servers.Way way = new OwnServers(uri).way();
        try {
            String seen = way.uri();
            for (String address :
                    way.all().stream().map(proxy -> proxy.address()).collect(Collectors.toSet())) {
                seen = seen.replace(address, "PROXY");
            }
            assertThat(seen).isEqualTo(expected);
            assertThat(way.mapping()).isEqualTo("-");
        } finally {
            way.close();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "rediss://h",
                "redis-cluster://h1,h2",
                "redis-sentinel://h1,h2/master",
                "zookeeper://h?client.config=/etc/zk",
                "jdbc:postgresql://h/shop?sslmode=verify-full",
                "jdbc:mysql://address=(host=h)(port=3306)/shop",
                "jdbc:postgresql:shop",
                "jdbc:sqlite:/tmp/locks.db"
            })
    void way_serversAreNotAllNamedOrHaveCertificates_isDirect(String uri) {
        Servers.Way way = new OwnServers(uri).way();
        assertThat(way.uri()).isEqualTo(uri);
        assertThat(way.all()).isEmpty();
    }

    @Test
    void allFaults_anyStore_noneOfTheServers() {
        assertThat(new OwnServers("jdbc:sqlite:/tmp/locks.db").allFaults())
                .containsExactlyInAnyOrder(
                        FaultKind.KILL,
                        FaultKind.PAUSE,
                        FaultKind.SHORT_PAUSE,
                        FaultKind.BURST,
                        FaultKind.KILL_WAITER,
                        FaultKind.PAUSE_WAITER);
        assertThat(new OwnServers("redis://h").allFaults())
                .contains(FaultKind.CUT, FaultKind.SILENCE, FaultKind.DELAY, FaultKind.LOST_COUNTS)
                .allMatch(kind -> kind.victim() != FaultKind.Victim.SERVERS);
        assertThat(new OwnServers("redlock://h1,h2,h3").allFaults())
                .contains(FaultKind.CUT, FaultKind.REFUSED_REPETITION)
                .doesNotContain(FaultKind.LOST_COUNTS);
    }
}
