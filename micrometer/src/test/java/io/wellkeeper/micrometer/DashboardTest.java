package io.wellkeeper.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every query of the dashboard has an answer in a real Prometheus that scrapes a program under load. */
class DashboardTest {

    private static final Path DASHBOARD = Path.of("../docs/grafana-dashboard.json");
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path folder;

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final HttpClient http = HttpClient.newHttpClient();

    private static Optional<String> prometheus() {
        String given = System.getProperty("io.wellkeeper.prometheus", "prometheus");
        return Stream.concat(Stream.of(""), Stream.of(System.getenv("PATH").split(":")))
                .map(folder -> Path.of(folder, given))
                .filter(Files::isExecutable)
                .map(Path::toString)
                .findFirst();
    }

    private static List<String> queries() throws IOException {
        List<String> all = new ArrayList<>();
        for (JsonNode panel : JSON.readTree(DASHBOARD.toFile()).get("panels")) {
            for (JsonNode target : panel.get("targets")) {
                all.add(target.get("expr").asText().replace("$group", ".*").replace("$__rate_interval", "10s"));
            }
        }
        return all;
    }

    @Test
    void queries_whileAProgramUsesLocks_haveAnswers() throws Exception {
        Optional<String> prometheus = prometheus();
        assumeTrue(prometheus.isPresent(), "Prometheus is not installed; micrometer/dashboard fetches it");
        assertThat(queries()).hasSizeGreaterThan(10).noneMatch(query -> query.contains("$"));
        registry.config().meterFilter(new WithHistograms());
        HttpServer metrics = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        metrics.createContext("/metrics", exchange -> {
            byte[] text = registry.scrape().getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, text.length);
            exchange.getResponseBody().write(text);
            exchange.close();
        });
        metrics.start();
        int port = freePort();
        Process scraping = start(prometheus.get(), port, metrics.getAddress().getPort());
        try (Load load = new Load(registry)) {
            for (String query : queries()) {
                await(query)
                        .atMost(Duration.ofSeconds(40))
                        .pollInterval(Duration.ofMillis(250))
                        .until(() -> hasAnswer(port, query));
            }
            assertThat(load.cycles()).isPositive();
        } finally {
            scraping.destroyForcibly().waitFor();
            metrics.stop(0);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private Process start(String prometheus, int port, int scraped) throws IOException {
        Path config = folder.resolve("prometheus.yml");
        Files.writeString(config, """
                global: {scrape_interval: 250ms, scrape_timeout: 250ms}
                scrape_configs:
                - job_name: program
                  static_configs: [{targets: ['127.0.0.1:%d']}]
                """.formatted(scraped));
        return new ProcessBuilder(
                        prometheus,
                        "--config.file=" + config,
                        "--storage.tsdb.path=" + folder.resolve("data"),
                        "--web.listen-address=127.0.0.1:" + port)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile())
                .start();
    }

    private boolean hasAnswer(int port, String query) throws InterruptedException {
        String url =
                "http://127.0.0.1:" + port + "/api/v1/query?query=" + URLEncoder.encode(query, StandardCharsets.UTF_8);
        try {
            HttpResponse<String> response =
                    http.send(HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString());
            assertThat(response.statusCode()).as(response.body()).isIn(200, 503); // 503: it is starting
            for (JsonNode result : JSON.readTree(response.body()).at("/data/result")) {
                if (Double.isFinite(result.at("/value/1").asDouble(Double.NaN))) {
                    return true;
                }
            }
            return false;
        } catch (IOException starting) {
            return false;
        }
    }

    private static final class WithHistograms implements MeterFilter {

        @Override
        public DistributionStatisticConfig configure(Meter.Id id, DistributionStatisticConfig config) {
            return DistributionStatisticConfig.builder()
                    .percentilesHistogram(true)
                    .build()
                    .merge(config);
        }
    }

    /** A program with two clients: they contend, wait in vain, lose locks, and now and then the store. */
    private static final class Load implements AutoCloseable {

        private final InMemoryServer server = new InMemoryServer();
        private final InMemoryTicketStore store = new InMemoryTicketStore(server);
        private final LockMetrics metrics;
        private final LockClient client;
        private final LockClient other;
        private final ExecutorService threads = Executors.newCachedThreadPool();
        private volatile int cycles;

        Load(PrometheusMeterRegistry registry) {
            this.metrics = new LockMetrics(registry);
            ClientOptions options = ClientOptions.builder()
                    .sessionTimeout(Duration.ofSeconds(1))
                    .listener(metrics)
                    .build();
            this.client = LockClient.over(store, options);
            this.other = LockClient.over(new InMemoryTicketStore(server));
            metrics.watch(client);
            for (int i = 0; i < 3; i++) {
                threads.execute(() -> repeat(() -> contend("orders/42")));
            }
            threads.execute(() -> repeat(this::lose));
            threads.execute(() -> repeat(this::trouble));
        }

        private interface Step {

            void run() throws InterruptedException;
        }

        private void repeat(Step step) {
            while (!threads.isShutdown()) {
                try {
                    step.run();
                } catch (InterruptedException end) {
                    return;
                } catch (RuntimeException lostOrClosed) {
                    continue; // the store fails on purpose
                }
            }
        }

        private void contend(String name) throws InterruptedException {
            DistributedLock lock = client.lock(name);
            try (LockHandle held = lock.acquire()) {
                lock.tryAcquire(Duration.ofMillis(2));
                TimeUnit.MILLISECONDS.sleep(1); // the work
            }
        }

        private void lose() throws InterruptedException {
            client.lock("reports/nightly").acquire();
            other.admin().breakLock("reports/nightly", "load");
            TimeUnit.MILLISECONDS.sleep(100);
        }

        private void trouble() throws InterruptedException {
            TimeUnit.SECONDS.sleep(1);
            store.cut();
            TimeUnit.MILLISECONDS.sleep(500);
            store.mend();
            cycles++;
        }

        int cycles() {
            return cycles;
        }

        @Override
        public void close() throws InterruptedException {
            threads.shutdownNow();
            assertThat(threads.awaitTermination(20, TimeUnit.SECONDS)).isTrue();
            client.close();
            other.close();
            server.close();
        }
    }
}
