package io.wellkeeper.torture;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/** A Chromium without a window, remote-controlled as by its developer tools. One page; not thread-safe. */
final class Browser implements AutoCloseable {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String ANNOUNCED = "DevTools listening on ";
    private static final long PATIENCE_SECONDS = 120;

    private final Process process;
    private final WebSocket socket;
    private final AtomicLong ids = new AtomicLong();
    private final Map<Long, CompletableFuture<JsonNode>> pending = new ConcurrentHashMap<>();
    private final List<String> requested = new ArrayList<>(); // guarded by itself
    private final List<String> complaints = new ArrayList<>(); // guarded by itself
    private String session = "";

    private Browser(Process process, String address) throws Exception {
        this.process = process;
        this.socket = HttpClient.newHttpClient()
                .newWebSocketBuilder()
                .buildAsync(URI.create(address), new Listener())
                .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        String target = call("Target.createTarget", Map.of("url", "about:blank"))
                .path("targetId")
                .asText();
        session = call("Target.attachToTarget", Map.of("targetId", target, "flatten", true))
                .path("sessionId")
                .asText();
        for (String domain : List.of("Page", "Runtime", "Network", "Log")) {
            call(domain + ".enable", Map.of());
        }
    }

    /** Where one is installed on this machine. */
    static Optional<Path> installed() {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
                .flatMap(folder -> Stream.of("chromium", "chromium-browser", "google-chrome")
                        .map(name -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    static Browser start(Path program, Path profile) throws Exception {
        Process process = new ProcessBuilder(
                        program.toString(),
                        "--headless=new",
                        "--no-sandbox", // which root cannot have
                        "--disable-gpu",
                        "--disable-dev-shm-usage",
                        "--no-first-run",
                        "--hide-scrollbars",
                        "--remote-debugging-port=0",
                        "--user-data-dir=" + profile,
                        "about:blank")
                .redirectErrorStream(true)
                .start();
        try {
            BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
            String line = lines.readLine();
            while (line != null && !line.startsWith(ANNOUNCED)) {
                line = lines.readLine();
            }
            if (line == null) {
                throw new IllegalStateException(program + " has ended");
            }
            Thread drain = new Thread(() -> lines.lines().forEach(unused -> {}), "browser-output");
            drain.setDaemon(true);
            drain.start();
            return new Browser(process, line.substring(ANNOUNCED.length()));
        } catch (Exception failed) {
            process.destroyForcibly();
            throw failed;
        }
    }

    /** What it shows from now on, with the size and the colors that it is told. */
    void look(int width, int height, boolean dark, boolean phone) {
        call(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", phone ? 2 : 1, "mobile", phone));
        call(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light"))));
    }

    /** Opens a file, and waits until its script says that it is ready. */
    void open(Path file) {
        call("Page.navigate", Map.of("url", file.toUri().toString()));
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!evaluate("document.documentElement?.dataset.ready === 'yes'").asBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("the page is never ready: " + complaints());
            }
            evaluate("new Promise(go => setTimeout(go, 20))");
        }
        painted();
    }

    /** Waits until what was changed has been painted. */
    void painted() {
        evaluate("new Promise(go => requestAnimationFrame(() => requestAnimationFrame(() => go(1))))");
    }

    /** The value of an expression in the page, or what its promise comes to. */
    JsonNode evaluate(String expression) {
        JsonNode answer =
                call("Runtime.evaluate", Map.of("expression", expression, "awaitPromise", true, "returnByValue", true));
        if (answer.has("exceptionDetails")) {
            throw new IllegalStateException(expression + ": " + answer.path("exceptionDetails"));
        }
        return answer.path("result").path("value");
    }

    void key(String key) {
        boolean types = key.length() == 1;
        for (String type : List.of("keyDown", "keyUp")) {
            Map<String, Object> event = types && type.equals("keyDown")
                    ? Map.of("type", type, "key", key, "text", key)
                    : Map.of("type", type, "key", key);
            call("Input.dispatchKeyEvent", event);
        }
        painted();
    }

    void wheel(double x, double y, int delta) {
        call("Input.dispatchMouseEvent", Map.of("type", "mouseWheel", "x", x, "y", y, "deltaX", 0, "deltaY", delta));
        painted();
    }

    void move(double x, double y) {
        call("Input.dispatchMouseEvent", Map.of("type", "mouseMoved", "x", x, "y", y));
        painted();
    }

    void drag(double x, double y, double toX, double toY) {
        mouse("mousePressed", x, y);
        call("Input.dispatchMouseEvent", Map.of("type", "mouseMoved", "x", toX, "y", toY, "button", "left"));
        mouse("mouseReleased", toX, toY);
        painted();
    }

    private void mouse(String type, double x, double y) {
        call("Input.dispatchMouseEvent", Map.of("type", type, "x", x, "y", y, "button", "left", "clickCount", 1));
    }

    /** Of fingers, each at {@code x, y}. */
    void touch(String type, double[]... fingers) {
        List<Map<String, Object>> points = new ArrayList<>();
        for (int i = 0; i < fingers.length; i++) {
            points.add(Map.of("x", fingers[i][0], "y", fingers[i][1], "id", i));
        }
        call("Input.dispatchTouchEvent", Map.of("type", type, "touchPoints", points));
    }

    /** Writes a picture of the page as it is seen. */
    void picture(Path file) {
        try {
            Files.write(
                    file,
                    Base64.getDecoder()
                            .decode(call("Page.captureScreenshot", Map.of("format", "png"))
                                    .path("data")
                                    .asText()));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** All that pages asked for, the pages themselves included. */
    List<String> requested() {
        synchronized (requested) {
            return List.copyOf(requested);
        }
    }

    /** Exceptions and errors of pages, and what they print. */
    List<String> complaints() {
        synchronized (complaints) {
            return List.copyOf(complaints);
        }
    }

    private JsonNode call(String method, Map<String, Object> parameters) {
        long id = ids.incrementAndGet();
        ObjectNode message = JSON.createObjectNode().put("id", id).put("method", method);
        if (!session.isEmpty()) {
            message.put("sessionId", session);
        }
        message.set("params", JSON.valueToTree(parameters));
        CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        pending.put(id, answer);
        try {
            socket.sendText(message.toString(), true).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            JsonNode told = answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (told.has("error")) {
                throw new IllegalStateException(method + ": " + told.path("error"));
            }
            return told.path("result");
        } catch (InterruptedException | ExecutionException | TimeoutException failed) {
            throw new IllegalStateException(method + " was not answered", failed);
        }
    }

    @Override
    public void close() throws Exception {
        socket.abort();
        process.destroy();
        if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
    }

    private final class Listener implements WebSocket.Listener {

        private final StringBuilder parts = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket from, CharSequence part, boolean last) {
            parts.append(part);
            if (last) {
                told(parts.toString());
                parts.setLength(0);
            }
            from.request(1);
            return CompletableFuture.completedStage(null);
        }

        private void told(String text) {
            try {
                JsonNode message = JSON.readTree(text);
                CompletableFuture<JsonNode> waiting =
                        pending.remove(message.path("id").asLong());
                if (waiting != null) {
                    waiting.complete(message);
                    return;
                }
                switch (message.path("method").asText()) {
                    case "Network.requestWillBeSent" ->
                        add(requested, message.at("/params/request/url").asText());
                    case "Runtime.exceptionThrown", "Runtime.consoleAPICalled" -> add(complaints, text);
                    case "Log.entryAdded" -> {
                        if (message.at("/params/entry/level").asText().equals("error")) {
                            add(complaints, text);
                        }
                    }
                    default -> {}
                }
            } catch (IOException wrong) {
                throw new UncheckedIOException(wrong);
            }
        }

        private void add(List<String> list, String one) {
            synchronized (list) {
                list.add(one);
            }
        }
    }
}
