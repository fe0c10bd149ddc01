package io.wellkeeper.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StoreUriTest {

    @Test
    void parse_manyHosts_givesAllParts() {
        StoreUri uri = StoreUri.parse("zookeeper://me:p%40ss+w@h1:2181,h_2:2182/a%20b/c?sessionTimeout=10s&x=a%26b+c");

        assertThat(uri.scheme()).isEqualTo("zookeeper");
        assertThat(uri.userInfo()).contains("me:p@ss+w");
        assertThat(uri.hosts()).isEqualTo("h1:2181,h_2:2182");
        assertThat(uri.path()).isEqualTo("/a b/c");
        assertThat(uri.duration("sessionTimeout")).contains(Duration.ofSeconds(10));
        assertThat(uri.parameter("x")).contains("a&b+c");
        assertThat(uri.parameter("y")).isEmpty();
    }

    @Test
    void parse_opaque_givesTheRestAsHosts() {
        StoreUri uri = StoreUri.parse("redis:embedded?a=b");

        assertThat(uri.hosts()).isEqualTo("embedded");
        assertThat(uri.parameter("a")).contains("b");
    }

    @Test
    void toString_withSecrets_showsNone() {
        StoreUri uri = StoreUri.parse("zookeeper://me:canary@h:1/p?password=canary");

        assertThat(uri.toString()).isEqualTo("zookeeper://h:1/p");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ' ',
            value = {
                "zookeeper://[::1]:2181,[::2]:2182/x [::1]:2181,[::2]:2182 /x",
                "redis-cluster://me:s%40@[2001:db8::1],[2001:db8::2]:7001 [2001:db8::1],[2001:db8::2]:7001 ''",
                "redis-sentinel://h,[fe80::1%eth0]:26379/master?x=[1] h,[fe80::1%eth0]:26379 /master",
                "redis://[::1] [::1] ''"
            })
    void parse_severalHostsByTheirIpV6Addresses_haveThem(String text, String hosts, String path) {
        StoreUri uri = StoreUri.parse(text);

        assertThat(uri.hosts()).isEqualTo(hosts);
        assertThat(uri.path()).isEqualTo(path);
        assertThat(uri).hasToString(uri.scheme() + "://" + hosts + path);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "zookeeper://[::1]:2181,[::1/x",
                "zookeeper://[::1],::1]/x",
                "zookeeper://[::1],[]/x",
                "zookeeper://[::1],[h h]/x",
                "zookeeper://[::1],[1.2]/x",
                "zookeeper://[canary]",
                "redis://:[canary]@h",
                "redis://h/[1]"
            })
    void parse_bracketsThatHoldNoAddress_isRefused(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> StoreUri.parse(text))
                .withMessageContaining("URI")
                .satisfies(thrown -> assertThat(thrown.toString()).doesNotContain("canary"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:postgresql:shop",
                "jdbc:postgresql:///shop",
                "jdbc:postgresql://[::1]:5432,h-2.example:5433/shop",
                "jdbc:mariadb:sequential://h1,h2:3307/shop",
                "jdbc:mariadb://address=(host=h)(port=3306)(type=primary)/shop",
                "jdbc:mysql://h_1/",
                "jdbc:sqlite:/home/a@b/c&d=e;.db",
                "jdbc-native:postgresql://h/caf\u00e9"
            })
    void parse_formsOfDrivers_areShownAsTheyAre(String text) {
        assertThat(StoreUri.parse(text + "?user=me")).hasToString(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis:/:canary@localhost",
                "redis://:ab/canary@h",
                "redis::canary@h",
                "redis://:ab@canary@h",
                "redis://:canary/0",
                "redis://h?prefix=a&x=canary@h",
                "zookeeper://user:ca/nary@canary",
                "jdbc:postgresql://me:canary@h/shop",
                "jdbc:postgresql://me:canary/shop",
                "jdbc:postgresql://h/shop&password=canary",
                "jdbc:mysql://address=(host=h)(password=canary)/shop",
                "jdbc:mariadb://h/shop?user=mepassword=canary"
            })
    void parse_secretWhereNoneBelongs_isRefusedWithoutIt(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> StoreUri.parse(text))
                .satisfies(thrown -> assertThat(thrown.toString()).doesNotContain("canary"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "h1:x y", "//h", "zookeeper://me:canary@h h", "zookeeper://h#f", "z://h?a", "z://h?a=1&a=2"})
    void parse_wrong_isRefusedWithoutSecrets(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> StoreUri.parse(text))
                .withMessageContaining("URI")
                .satisfies(thrown -> assertThat(thrown.toString()).doesNotContain("canary"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"redis://h:0", "zookeeper://h:1,g:65536/x", "jdbc:postgresql://[::1]:99999/shop"})
    void parse_portOutOfRange_isNamed(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> StoreUri.parse(text))
                .withMessageMatching(".*'(0|65536|99999)' as a port; ports are 1 to 65535");
    }

    @Test
    void refuseOtherParameters_misspelt_isNamed() {
        StoreUri uri = StoreUri.parse("z://h?rot=a&root=b");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> uri.refuseOtherParametersThan(Set.of("root")))
                .withMessageContaining("[rot]")
                .withMessageContaining("[root]");
        uri.without(Set.of("rot")).refuseOtherParametersThan(Set.of("root"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"sessionTimout", "SessionTimeout", "sesionTimeouts", "session_timeout"})
    void refuseMisspelt_almostAKnownName_isNamedWithTheRightOne(String name) {
        StoreUri uri = StoreUri.parse("jdbc:sqlite:x?prefix=a&connectTimeout=5&" + name + "=4s");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> uri.refuseMisspelt(Set.of("prefix", "sessionTimeout")))
                .withMessage("store URI has the parameter '" + name + "'; is 'sessionTimeout' meant?");
        uri.without(Set.of(name)).refuseMisspelt(Set.of("prefix", "sessionTimeout"));
    }

    @Test
    void parseDuration_everyForm_isRead() {
        assertThat(StoreUri.parseDuration("0ms")).isZero();
        assertThat(StoreUri.parseDuration("2m")).isEqualTo(Duration.ofMinutes(2));
        assertThat(StoreUri.parseDuration("1h")).isEqualTo(Duration.ofHours(1));
        assertThat(StoreUri.parseDuration("PT0.5S")).isEqualTo(Duration.ofMillis(500));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "5", "-1s", "1 s", "PT-1S", "99999999999999999999s", "1d"})
    void parseDuration_wrong_isRefusedWithExamples(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> StoreUri.parseDuration(text))
                .withMessageContaining("10s");
    }
}
