package io.wellkeeper.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import io.wellkeeper.testkit.Request;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;

/** Health and the endpoint, asked over HTTP by somebody who has logged in. */
@ExtendWith(OutputCaptureExtension.class)
class EndpointsTest {

    private static final String CANARY = "canary4711";

    private final HttpClient http = HttpClient.newHttpClient();
    private final List<ConfigurableApplicationContext> started = new ArrayList<>();

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(exclude = {DataRedisAutoConfiguration.class, DataSourceAutoConfiguration.class})
    @Import(MemoryStore.class)
    static class Application {

        @Bean
        SecurityFilterChain security(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(every -> every.anyRequest().authenticated())
                    .httpBasic(Customizer.withDefaults())
                    .csrf(csrf -> csrf.disable())
                    .build();
        }
    }

    private static ConfigurableApplicationContext shared;
    private ConfigurableApplicationContext context = shared;

    @BeforeAll
    static void startShared() {
        shared = run(
                "management.endpoint.locks.access=unrestricted",
                "wellkeeper.metrics.declared.lock=reports/*,invoices",
                "wellkeeper.metrics.declared.permits=erp");
    }

    @AfterAll
    static void stopShared() {
        shared.close();
    }

    private ConfigurableApplicationContext start(String... more) {
        ConfigurableApplicationContext begun = run(more);
        started.add(begun);
        return begun;
    }

    private static ConfigurableApplicationContext run(String... more) {
        return new SpringApplicationBuilder(Application.class)
                .properties(
                        "server.port=0",
                        "spring.main.banner-mode=off",
                        "spring.application.name=shop",
                        "spring.security.user.name=alice",
                        "spring.security.user.password=secret",
                        "management.endpoints.web.exposure.include=*",
                        "management.endpoint.health.show-details=always",
                        "management.endpoint.health.probes.enabled=true",
                        "management.endpoint.env.show-values=always",
                        "management.endpoint.configprops.show-values=always",
                        "management.health.redis.enabled=false")
                .properties(more)
                .registerShutdownHook(false)
                .run();
    }

    @AfterEach
    void stop() {
        started.forEach(ConfigurableApplicationContext::close);
    }

    private HttpResponse<String> ask(String method, String path, String body) throws IOException, InterruptedException {
        String port = context.getEnvironment().getProperty("local.server.port");
        return http.send(
                HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/actuator/" + path))
                        .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
                        .header("Content-Type", "application/json")
                        .header(
                                "Authorization",
                                "Basic " + Base64.getEncoder().encodeToString("alice:secret".getBytes()))
                        .build(),
                BodyHandlers.ofString());
    }

    private String get(String path) throws IOException, InterruptedException {
        return ask("GET", path, "").body();
    }

    private LockClient client() {
        return context.getBean(LockClient.class);
    }

    @Test
    void locks_nameWithSlashes_isShownWithWhoHoldsItAndWhoWaits() throws Exception {
        try (LockHandle held = client().lock("orders/42/pay").acquire();
                InMemoryTicketStore other = new InMemoryTicketStore(context.getBean(InMemoryServer.class));
                LockClient waiter = LockClient.over(other)) {
            var waiting = waiter.lock("orders/42/pay").acquireAsync();
            await().untilAsserted(() -> assertThat(get("locks/orders/42/pay"))
                    .contains("\"name\":\"orders/42/pay\"")
                    .contains("\"client\":\"shop\"")
                    .contains("\"permits\":1")
                    .contains("\"fencingToken\":\"" + held.fencingToken() + "\"")
                    .containsPattern("\"waiters\":\\[\\{"));
            assertThat(get("locks")).contains("\"names\":[\"orders/42/pay\"]");
            assertThat(get("locks?prefix=stock")).contains("\"names\":[]");
            assertThat(get("locks?deadlocks=true&warnings=true"))
                    .contains("\"deadlocks\":[]")
                    .contains("\"warnings\":[]");
            waiting.cancel(true);
        }
    }

    @Test
    void revoke_byAlice_asksTheHolderInHerName() throws Exception {
        List<String> heard = new CopyOnWriteArrayList<>();
        try (LockHandle held = client().lock("orders/42").acquire()) {
            held.onRevocationRequested((by, reason) -> heard.add(by + ": " + reason));
            await().untilAsserted(() -> {
                assertThat(ask("POST", "locks", "{\"name\":\"orders/42\",\"reason\":\"deploy\"}")
                                .body())
                        .contains("\"asked\":1");
                assertThat(heard).isNotEmpty();
            });
            assertThat(heard.get(0)).isEqualTo("shop: deploy (alice, by the endpoint)");
        }
    }

    @Test
    void breakLock_byAlice_takesItAwayInHerName(CapturedOutput output) throws Exception {
        LockHandle held = client().lock("orders/42").acquire();
        HttpResponse<String> broken = ask("DELETE", "locks?name=orders/42&reason=stuck%0Aagain", "");
        assertThat(broken.body()).contains("\"holders\":[{").contains("\"client\":\"shop\"");
        await().untilAsserted(() -> assertThat(held.isHeld()).isFalse());
        assertThat(output).contains("was taken away from its 1 holders: stuck again (alice, by the endpoint)");
        assertThat(ask("DELETE", "locks?name=orders/42", "").statusCode()).isEqualTo(400);
        assertThat(ask("DELETE", "locks?reason=stuck", "").statusCode()).isEqualTo(400);
        assertThat(ask("DELETE", "locks?name=orders/42&reason=" + "x".repeat(1024), "")
                        .statusCode())
                .isEqualTo(400);
    }

    @Test
    void breakLock_byDefault_isNotThere() throws Exception {
        context = start();
        try (LockHandle held = client().lock("orders/42").acquire()) {
            assertThat(ask("DELETE", "locks?name=orders/42&reason=stuck", "").statusCode())
                    .isIn(404, 405);
            assertThat(ask("POST", "locks", "{\"name\":\"orders/42\",\"reason\":\"deploy\"}")
                            .statusCode())
                    .isIn(404, 405);
            assertThat(get("locks/orders/42")).contains("\"client\":\"shop\"");
            held.checkHeld();
        }
    }

    @Test
    void health_storeAnswers_isUpAndTakesNoLock() throws Exception {
        InMemoryServer server = context.getBean(InMemoryServer.class);
        try (LockHandle held = client().lock("orders/42").acquire()) {
            int taken = server.requests(Request.TAKE);
            await().untilAsserted(() -> assertThat(get("health/wellkeeper"))
                    .contains("\"status\":\"UP\"")
                    .contains("\"store\":\"memory-")
                    .contains("\"held\":1")
                    .contains("\"waiting\":0")
                    .contains("\"sessionRemaining\":\"PT"));
            assertThat(server.requests(Request.TAKE)).isEqualTo(taken);
            held.checkHeld();
        }
    }

    @Test
    void health_storeSilent_isDownWithinASecondAndNoProbeIsConcerned() throws Exception {
        get("health"); // what is made at the first request
        InMemoryServer server = context.getBean(InMemoryServer.class);
        server.freeze();
        try {
            long begun = System.nanoTime();
            String health = get("health/wellkeeper");
            assertThat(Duration.ofNanos(System.nanoTime() - begun))
                    .isLessThan(Duration.ofSeconds(3)); // of a busy machine
            assertThat(health).contains("\"status\":\"DOWN\"").contains("has not answered for 900 ms");
            assertThat(get("health/liveness")).contains("\"status\":\"UP\"").doesNotContain("wellkeeper");
            assertThat(get("health/readiness")).contains("\"status\":\"UP\"").doesNotContain("wellkeeper");
        } finally {
            server.unfreeze();
        }
        await().atMost(20, TimeUnit.SECONDS)
                .untilAsserted(() -> assertThat(get("health/wellkeeper")).contains("\"status\":\"UP\""));
    }

    @Test
    void health_switchedOff_isNotThere() throws Exception {
        context = start("management.health.wellkeeper.enabled=false");
        assertThat(ask("GET", "health/wellkeeper", "").statusCode()).isEqualTo(404);
    }

    @Test
    void endpoints_uriWithSecret_showItNowhere(CapturedOutput output) throws Exception {
        context = start("wellkeeper.uri=redis://user:" + CANARY
                + "@host:6379/0?prefix=p"); // the store is in memory all the same
        for (String path : List.of("env", "env/wellkeeper.uri", "configprops", "health", "locks", "metrics", "beans")) {
            assertThat(get(path)).as(path).doesNotContain(CANARY);
        }
        assertThat(get("env/wellkeeper.uri")).contains("redis://host:6379/0");
        assertThat(output.getAll()).doesNotContain(CANARY).doesNotContain("is not eligible for"); // made too early
    }

    @Test
    void metrics_lockUsed_areThere() throws Exception {
        client().lock("orders/42").acquire().close();
        await().untilAsserted(() -> assertThat(get("metrics/wellkeeper.lock.acquire"))
                .contains("orders/*")
                .contains("acquired"));
        assertThat(get("metrics/wellkeeper.session.remaining")).contains("\"value\":");
        assertThat(get("metrics/wellkeeper.lock.acquisition")).contains("orders/*"); // by the observation
    }

    @Test
    void metrics_groupsDeclared_areThereBeforeAnyLockIsUsed() throws Exception {
        assertThat(get("metrics/wellkeeper.lock.hold?tag=outcome:lost&tag=mode:lock"))
                .contains("reports/*")
                .contains("invoices");
        assertThat(get("metrics/wellkeeper.lock.held?tag=mode:permits")).contains("erp");
    }
}
