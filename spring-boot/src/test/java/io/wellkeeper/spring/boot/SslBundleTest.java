package io.wellkeeper.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.testservers.RedisProcess;
import io.wellkeeper.testservers.ZooKeeperProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Connections to a Redis server that wants to see the client's certificate, by means of SSL bundles. */
class SslBundleTest {

    private static final String PASSWORD = "changeit";

    @TempDir
    static Path folder;

    private static Keys server;
    private static Keys serverElsewhere;
    private static Keys client;
    private static RedisProcess redis;
    private static int port;

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(WellkeeperAutoConfiguration.class, SslAutoConfiguration.class))
            .withPropertyValues("wellkeeper.store-timeout=10s");

    /** Files of a key and of a certificate for it. */
    private record Keys(Path key, Path certificate) {

        static Keys of(String name, String host) throws Exception {
            Path store = folder.resolve(name + ".p12");
            String java = System.getProperty("java.home");
            Process keytool = new ProcessBuilder(
                            Path.of(java, "bin", "keytool").toString(),
                            "-genkeypair",
                            "-alias",
                            name,
                            "-keyalg",
                            "EC",
                            "-groupname",
                            "secp256r1",
                            "-dname",
                            "CN=" + name,
                            "-ext",
                            "san=dns:" + host,
                            "-storetype",
                            "PKCS12",
                            "-keystore",
                            store.toString(),
                            "-storepass",
                            PASSWORD)
                    .redirectErrorStream(true)
                    .start();
            String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(keytool.waitFor()).as(said).isZero();
            KeyStore keys = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
            return new Keys(
                    pem(
                            name + ".key",
                            "PRIVATE KEY",
                            keys.getKey(name, PASSWORD.toCharArray()).getEncoded()),
                    pem(name + ".crt", "CERTIFICATE", keys.getCertificate(name).getEncoded()));
        }

        private static Path pem(String file, String what, byte[] content) throws IOException {
            String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
            return Files.writeString(
                    folder.resolve(file), "-----BEGIN " + what + "-----\n" + text + "\n-----END " + what + "-----\n");
        }
    }

    @BeforeAll
    static void start() throws Exception {
        server = Keys.of("server", "localhost");
        serverElsewhere = Keys.of("elsewhere", "redis.elsewhere.test");
        client = Keys.of("client", "client.test");
        redis = RedisProcess.start();
        port = ZooKeeperProcess.freePort();
        presents(server);
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    /** Has the server prove with these keys who it is. */
    private static void presents(Keys keys) {
        List<String> command = new ArrayList<>(List.of("CONFIG", "SET"));
        command.addAll(List.of("tls-cert-file", keys.certificate().toString()));
        command.addAll(List.of("tls-key-file", keys.key().toString()));
        command.addAll(List.of("tls-ca-cert-file", client.certificate().toString()));
        command.addAll(List.of("tls-auth-clients", "yes", "tls-port", Integer.toString(port)));
        assertThat(redis.call(command.toArray(String[]::new))).isEqualTo("OK");
    }

    private ApplicationContextRunner withBundle(Keys trusted, Keys own) {
        return application.withPropertyValues(
                "spring.ssl.bundle.pem.locks.truststore.certificate=file:" + trusted.certificate(),
                "spring.ssl.bundle.pem.locks.keystore.certificate=file:" + own.certificate(),
                "spring.ssl.bundle.pem.locks.keystore.private-key=file:" + own.key());
    }

    private static String[] uri() {
        return new String[] {"wellkeeper.uri=rediss://localhost:" + port, "wellkeeper.ssl.bundle=locks"};
    }

    private static void locks(AssertableApplicationContext context) {
        assertThat(context).hasNotFailed();
        try (LockHandle handle =
                context.getBean(LockClient.class).lock("a/b").tryAcquire().orElseThrow()) {
            assertThat(handle.fencingToken()).isPositive();
        }
    }

    private static void failsBecauseOf(AssertableApplicationContext context, String reason) {
        assertThat(context)
                .getFailure()
                .hasStackTraceContaining(StoreConfigurationException.class.getName())
                .hasStackTraceContaining(reason);
    }

    @Test
    void bundle_ofTheUri_provesBothSides() {
        withBundle(server, client).withPropertyValues(uri()).run(SslBundleTest::locks);
    }

    @Test
    void bundle_ofSpringData_provesBothSides() {
        withBundle(server, client)
                .withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
                .withPropertyValues("spring.data.redis.port=" + port, "spring.data.redis.ssl.bundle=locks")
                .run(SslBundleTest::locks);
    }

    @Test
    void server_thatIsNotTrusted_isNotUsed() {
        withBundle(client, client).withPropertyValues(uri()).run(context -> failsBecauseOf(context, "certif"));
    }

    @Test
    void server_withoutBundle_isNotTrusted() {
        application
                .withPropertyValues("wellkeeper.uri=rediss://localhost:" + port)
                .run(context -> failsBecauseOf(context, "certif"));
    }

    @Test
    void server_thatIsTrustedForAnotherHost_isNotUsed() {
        presents(serverElsewhere);
        try {
            withBundle(serverElsewhere, client)
                    .withPropertyValues(uri())
                    .run(context -> failsBecauseOf(context, "localhost"));
        } finally {
            presents(server);
        }
    }

    @Test
    void client_thatTheServerDoesNotTrust_isTurnedAway() {
        withBundle(server, server)
                .withPropertyValues(uri())
                .run(context -> failsBecauseOf(context, "cannot reach Redis"));
    }
}
