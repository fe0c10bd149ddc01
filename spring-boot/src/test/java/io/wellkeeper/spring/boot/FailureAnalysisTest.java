package io.wellkeeper.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

import io.wellkeeper.spring.Locked;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;

/** What a user sees whose application does not start; and no secret is in it. */
@ExtendWith(OutputCaptureExtension.class)
class FailureAnalysisTest {

    private static final String CANARY = "canary4711";

    @TempDir
    Path folder;

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        WellkeeperAutoConfiguration.class,
        LockedAutoConfiguration.class,
        SslAutoConfiguration.class
    })
    static class Application {}

    private void fails(CapturedOutput output, String properties, Class<?>... beans) throws Exception {
        Path file = Files.writeString(folder.resolve("application.properties"), properties);
        SpringApplication application = new SpringApplicationBuilder(Application.class)
                .sources(beans)
                .web(WebApplicationType.NONE)
                .registerShutdownHook(false)
                .build();
        assertThatException()
                .isThrownBy(() -> application.run("--spring.config.location=" + file, "--spring.main.banner-mode=off"));
        assertThat(output.getAll()).contains("APPLICATION FAILED TO START").doesNotContain(CANARY);
    }

    @Test
    void unknownKey_withSecret_isNamedWithoutItsValue(CapturedOutput output) throws Exception {
        fails(output, "wellkeeper.url=redis://:" + CANARY + "@host:6379\nwellkeeper.session-timout=10s");
        assertThat(output)
                .contains("properties of wellkeeper that are not known")
                .contains("wellkeeper.url (")
                .contains("wellkeeper.session-timout (");
    }

    @Test
    void uri_whereTheKindOfStoreIsToBe_isNotShown(CapturedOutput output) throws Exception {
        fails(output, "wellkeeper.store=redis://:" + CANARY + "@host:6379");
        assertThat(output)
                .contains("wellkeeper.store has a URI for its value, and is for something else (")
                .contains("is wellkeeper.uri");
    }

    @Test
    void uri_noModuleForItsScheme_namesTheSchemes(CapturedOutput output) throws Exception {
        fails(output, "wellkeeper.uri=etcd://user:" + CANARY + "@host:2379");
        assertThat(output)
                .contains("no store on the class path serves the scheme 'etcd'")
                .contains("io.wellkeeper:wellkeeper-redis");
    }

    @Test
    void uri_misspeltParameter_isNamed(CapturedOutput output) throws Exception {
        fails(output, "wellkeeper.uri=redis://:" + CANARY + "@host:6379?sessionTimout=10s");
        assertThat(output).contains("sessionTimout").contains("sessionTimeout");
    }

    @Test
    void uri_ofLeases_saysThatAClientOfLeasesIsWanted(CapturedOutput output) throws Exception {
        fails(output, "wellkeeper.uri=redis-simple://:" + CANARY + "@host:6379");
        assertThat(output).contains("it is a store of leases").contains("LeaseClient");
    }

    @Test
    void uri_noUriAtAll_repeatsNothingOfIt(CapturedOutput output) throws Exception {
        fails(output, "wellkeeper.uri=redis://user:" + CANARY + "@@host:6379");
        assertThat(output).contains("The URI of the store of locks cannot be used");
    }

    @Test
    void uri_nobodyListens_namesTheAddress(CapturedOutput output) throws Exception {
        fails(output, "wellkeeper.uri=redis://user:" + CANARY + "@localhost:1\nwellkeeper.store-timeout=200ms");
        assertThat(output).contains("The store of locks cannot be used").contains("localhost:1");
    }

    @Test
    void store_unknown_namesThoseThereAre(CapturedOutput output) throws Exception {
        fails(output, "wellkeeper.store=etcd");
        assertThat(output).contains("DATA_SOURCE").contains("CURATOR").contains("wellkeeper.store");
    }

    @Test
    void store_notConnected_saysWhatItTakes(CapturedOutput output) throws Exception {
        fails(output, "wellkeeper.store=curator");
        assertThat(output).contains("not connected to such a store").contains("wellkeeper-zookeeper");
    }

    @Test
    void nothing_isSet_saysWhatToDo(CapturedOutput output) throws Exception {
        fails(output, "");
        assertThat(output).contains("There is no store for locks").contains("set wellkeeper.uri");
    }

    /** Guarded under a name that cannot be. */
    static class Misspelt {

        @Locked("order/#{#ordr}")
        public void ship(long order) {}
    }

    @Test
    void method_thatCannotBeGuarded_isNamedWithItsReason(CapturedOutput output) throws Exception {
        fails(output, "", MemoryStore.class, Misspelt.class);
        assertThat(output)
                .contains("Misspelt.ship(long): the name \"order/#{#ordr}\": there is no parameter #ordr")
                .contains("Correct the method, or its @Locked");
    }

    /** Guarded. */
    static class Shipping {

        @Locked("order/#{#order}")
        public void ship(long order) {}
    }

    @Test
    void client_switchedOffAndNeededByAMethod_saysWhoSwitchedItOff(CapturedOutput output) throws Exception {
        fails(output, "wellkeeper.enabled=false", Shipping.class);
        assertThat(output)
                .contains("io.wellkeeper.LockClient")
                .contains("Shipping.ship(long)")
                .contains("wellkeeper.enabled");
    }
}
