package io.wellkeeper.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.spi.LockNames;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.security.autoconfigure.SecurityAutoConfiguration;
import org.springframework.boot.security.autoconfigure.UserDetailsServiceAutoConfiguration;
import org.springframework.boot.security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** The endpoint is asked over HTTP for locks whose names look like paths, without Spring Security, which refuses some such paths. */
class EndpointNamesTest {

    private static ConfigurableApplicationContext context;

    private final HttpClient http = HttpClient.newHttpClient();

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(
            exclude = {
                DataRedisAutoConfiguration.class,
                DataSourceAutoConfiguration.class,
                ManagementWebSecurityAutoConfiguration.class,
                SecurityAutoConfiguration.class,
                SecurityFilterAutoConfiguration.class,
                ServletWebSecurityAutoConfiguration.class,
                UserDetailsServiceAutoConfiguration.class
            })
    @Import(MemoryStore.class)
    static class Application {}

    @BeforeAll
    static void start() {
        context = new SpringApplicationBuilder(Application.class)
                .properties(
                        "server.port=0",
                        "spring.main.banner-mode=off",
                        "management.endpoints.web.exposure.include=locks",
                        "management.endpoint.locks.access=unrestricted")
                .registerShutdownHook(false)
                .run();
    }

    @AfterAll
    static void stop() {
        context.close();
    }

    private HttpResponse<String> ask(String method, String path, String body) throws IOException, InterruptedException {
        String port = context.getEnvironment().getProperty("local.server.port");
        return http.send(
                HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/actuator/locks" + path))
                        .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
                        .header("Content-Type", "application/json")
                        .build(),
                BodyHandlers.ofString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"/a//b", "//a/b", "/a/b/", "/a;c/b", "/a/b"})
    void breakLock_byAPath_breaksNothing(String path) throws Exception {
        try (LockHandle held = context.getBean(LockClient.class).lock("a/b").acquire()) {
            assertThat(ask("GET", path, "").body()).contains("\"name\":\"a/b\"");

            assertThat(ask("DELETE", path + "?reason=stuck", "").statusCode()).isEqualTo(405);
            assertThat(ask("POST", path, "{\"reason\":\"deploy\"}").statusCode())
                    .isEqualTo(405);
            held.checkHeld();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a//b", "/a/b", "a/b/", "a;c/b", "a/../b", "a+b", "a%2Fb", " a/b ", "a,b", "订单/42"})
    void breakLock_byAParameter_breaksTheLockOfExactlyThisName(String name) throws Exception {
        LockClient client = context.getBean(LockClient.class);
        try (LockHandle other = client.lock("a/b").acquire()) {
            LockHandle held = client.lock(name).acquire();
            String encoded = URLEncoder.encode(name, StandardCharsets.UTF_8);

            assertThat(ask("DELETE", "?name=" + encoded + "&reason=stuck", "").body())
                    .contains("\"name\":\"" + name + "\"");

            await().untilAsserted(() -> assertThat(held.isHeld()).isFalse());
            other.checkHeld();
        }
    }

    @Test
    void revoke_byABody_asksForTheLockOfExactlyThisName() throws Exception {
        LockClient client = context.getBean(LockClient.class);
        try (LockHandle other = client.lock("a/b").acquire();
                LockHandle held = client.lock("a//b").acquire()) {
            assertThat(ask("POST", "", "{\"name\":\"a//b\",\"reason\":\"deploy\"}")
                            .body())
                    .contains("\"name\":\"a//b\"")
                    .contains("\"asked\":1");
            other.checkHeld();
            held.checkHeld();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "?name=a&name=b&reason=stuck",
                "?name=a,b&name=&reason=stuck",
                "?name=a,b&reason=stuck&reason=late",
                "?name=&reason=stuck"
            })
    void breakLock_byParametersThatAreNotOne_breaksNothing(String parameters) throws Exception {
        LockClient client = context.getBean(LockClient.class);
        try (LockHandle a = client.lock("a").acquire();
                LockHandle b = client.lock("b").acquire();
                LockHandle both = client.lock("a,b").acquire()) {

            assertThat(ask("DELETE", parameters, "").statusCode()).isEqualTo(400);

            a.checkHeld();
            b.checkHeld();
            both.checkHeld();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"name\":[\"a\",\"b\"],\"reason\":\"deploy\"}",
                "{\"name\":{\"a\":\"b\"},\"reason\":\"deploy\"}",
                "{\"name\":\"a,b\",\"reason\":[\"a\",\"b\"]}",
                "{\"name\":\"\",\"reason\":\"deploy\"}",
                "{\"name\":null,\"reason\":\"deploy\"}",
                "{\"reason\":\"deploy\"}",
                "[]",
                "{"
            })
    void revoke_byABodyThatIsNotOneName_asksNobody(String body) throws Exception {
        LockClient client = context.getBean(LockClient.class);
        try (LockHandle both = client.lock("a,b").acquire()) {
            AtomicBoolean asked = new AtomicBoolean();
            both.onRevocationRequested((by, reason) -> asked.set(true));

            assertThat(ask("POST", "", body).statusCode()).isEqualTo(400);

            assertThat(asked).isFalse();
        }
    }

    @Test
    void lock_ofANameThatNoneHas_isRefused() throws Exception {
        assertThat(ask("GET", "/" + "a".repeat(LockNames.MAX_BYTES + 1), "").statusCode())
                .isEqualTo(400);
    }

    @Test
    void locks_prefixGivenTwice_isRefused() throws Exception {
        assertThat(ask("GET", "?prefix=a&prefix=b", "").statusCode()).isEqualTo(400);
    }
}
