package io.wellkeeper.torture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The page in a real browser: what it draws, and how it moves. Skipped where no Chromium is installed; {@code
 * torture/look} installs one, and says where the pictures are that this test takes.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Execution(ExecutionMode.SAME_THREAD)
class PageInBrowserTest {

    private static final Path PICTURES = Path.of("target", "pictures");

    @TempDir
    static Path directory;

    private Browser browser;
    private Path small;
    private Path large;
    private long events;

    @BeforeAll
    void start() throws Exception {
        Optional<Path> program = Browser.installed();
        Assumptions.assumeTrue(program.isPresent(), "there is no Chromium on this machine");
        Files.createDirectories(PICTURES);
        small = page("small", 3_000, 400);
        large = page("large", 143_000, 50_000);
        browser = Browser.start(program.orElseThrow(), directory.resolve("profile"));
    }

    private Path page(String name, int acquisitions, int early) throws IOException {
        Path run = Files.createDirectory(directory.resolve(name));
        events = BusyHistory.write(run, acquisitions, early);
        Path file = directory.resolve(name + ".html");
        Report.of(run).writePage(file, "torture, " + name);
        return file;
    }

    @AfterAll
    void stop() throws Exception {
        if (browser != null) {
            browser.close();
        }
    }

    @BeforeEach
    void look() {
        browser.look(1280, 900, false, false);
    }

    private double number(String expression) {
        JsonNode value = browser.evaluate(expression);
        assertThat(value.isNumber()).as(expression + " is " + value).isTrue();
        return value.asDouble();
    }

    private String about() {
        return browser.evaluate("document.getElementById('about').textContent").asText();
    }

    /** How many points of the canvas have about the color of a name of the page's style. */
    private double points(String color) {
        return number(
                "(() => { const c = document.createElement('canvas').getContext('2d'); c.fillStyle = colors." + color
                        + "; c.fillRect(0, 0, 1, 1); const want = c.getImageData(0, 0, 1, 1).data;"
                        + " const all = pen.getImageData(0, 0, canvas.width, canvas.height).data; let n = 0;"
                        + " for (let i = 0; i < all.length; i += 4) if (Math.abs(all[i] - want[0]) + Math.abs(all[i + 1] - want[1])"
                        + " + Math.abs(all[i + 2] - want[2]) < 12) n++; return n; })()");
    }

    @Test
    void open_aRun_showsWhoHeldWhoWaitedFaultsAndViolations() {
        browser.open(small);
        assertThat(number("view.span")).isEqualTo(number("run.end"));
        browser.picture(PICTURES.resolve("whole.png"));
        browser.key("n");
        assertThat(about()).startsWith("overlap at ").contains("was let in while");
        browser.evaluate("show(view.from + view.span / 2 - 100000, 200000)");
        browser.painted();
        browser.picture(PICTURES.resolve("violation.png"));
        assertThat(points("hold")).isGreaterThan(1_000);
        assertThat(points("wait")).isGreaterThan(300);
        assertThat(points("bad")).isGreaterThan(20);
        browser.key("f");
        assertThat(about()).matches("(kill|pause) of worker \\d \\(process \\d+\\) at .*");
        browser.picture(PICTURES.resolve("fault.png"));
        assertThat(browser.complaints()).isEmpty();
        assertThat(browser.requested()).allMatch(url -> url.startsWith("file:") || url.startsWith("about:"));
    }

    @Test
    void mouseAndKeys_move_panAndZoom() {
        browser.open(small);
        double span = number("view.span");
        double y = number("frame.getBoundingClientRect().top") + 100;
        double x = number("frame.getBoundingClientRect().left + left() + plot() / 4");
        double under = number("toTime(left() + plot() / 4)");
        browser.wheel(x, y, -400);
        assertThat(number("view.span")).isLessThan(span / 2);
        assertThat(number("toTime(left() + plot() / 4)"))
                .as("what is under the mouse stays there")
                .isCloseTo(under, within(span / 500));
        browser.key("+");
        double zoomed = number("view.span");
        assertThat(zoomed).isLessThan(span / 4);
        double from = number("view.from");
        browser.drag(x + 200, y, x + 100, y);
        double moved = number("view.from");
        assertThat(moved - from).isCloseTo(100 * zoomed / number("plot()"), within(zoomed / 200));
        browser.key("ArrowRight");
        assertThat(number("view.from")).isCloseTo(moved + .15 * zoomed, within(zoomed / 200));
        browser.key("ArrowLeft");
        assertThat(number("view.from")).isCloseTo(moved, within(zoomed / 200));
        browser.key("-");
        assertThat(number("view.span")).isGreaterThan(zoomed * 1.5);
        browser.key("0");
        assertThat(number("view.span")).isEqualTo(span);
        assertThat(number("view.from")).isZero();
    }

    @Test
    void point_atAnAcquisition_tellsOfIt() {
        browser.open(small);
        browser.evaluate("{ const row = run.rows[0]; show(row.granted[0] - 1000, 10000); }");
        browser.painted();
        double x = number("frame.getBoundingClientRect().left + frame.clientLeft"
                + " + toX((run.rows[0].granted[0] + run.rows[0].proven[0]) / 2)");
        double y = number("frame.getBoundingClientRect().top + frame.clientTop + 7 - frame.scrollTop"
                + " + lanes.find(lane => lane.row === run.rows[0]).y");
        browser.move(x, y);
        assertThat(about())
                .contains("of shop/book: asked at ")
                .contains("let in after ")
                .contains("with the token ")
                .contains("released after ");
    }

    @Test
    void open_aMillionEvents_drawsWhatIsSeenOnly() throws IOException {
        assertThat(events).isGreaterThan(1_000_000);
        long start = System.nanoTime();
        browser.open(large);
        Duration opened = Duration.ofNanos(System.nanoTime() - start);
        double pixels = number("plot() * run.rows.length");
        assertThat(number("run.rows.reduce((sum, row) => sum + row.count, 0)")).isEqualTo(143_000);
        assertThat(number("drawn")).isBetween(1_000.0, 3 * pixels);
        String time = "(() => { const begin = performance.now(); for (let i = 0; i < 10; i++) paint();"
                + " return (performance.now() - begin) / 10; })()";
        double whole = number(time);
        browser.picture(PICTURES.resolve("million.png"));
        browser.evaluate("show(run.end / 3, 200000)");
        browser.painted();
        assertThat(number("drawn")).isLessThan(3 * pixels);
        double near = number(time);
        browser.picture(PICTURES.resolve("million-near.png"));
        System.out.println(events + " events: a page of " + Files.size(large) / 1_000 + " kB, open after "
                + opened.toMillis() + " ms, drawn in " + whole + " ms as a whole and in " + near + " ms from near");
        assertThat(whole).isLessThan(2_000);
    }

    @Test
    void open_inTheDark_isDark() {
        browser.look(1280, 900, true, false);
        browser.open(small);
        assertThat(browser.evaluate("getComputedStyle(document.body).backgroundColor")
                        .asText())
                .isEqualTo("rgb(13, 17, 23)");
        browser.evaluate("show(run.end / 2, 300000)");
        browser.painted();
        browser.picture(PICTURES.resolve("dark.png"));
        assertThat(points("page")).isGreaterThan(100_000);
        assertThat(points("hold")).isGreaterThan(1_000);
    }

    @Test
    void open_onAPhone_fitsAndFollowsFingers() {
        browser.look(390, 844, false, true);
        browser.open(small);
        browser.picture(PICTURES.resolve("phone.png"));
        assertThat(number("document.scrollingElement.scrollWidth")).isLessThanOrEqualTo(390);
        assertThat(number("Math.min(...[...document.querySelectorAll('.bar button')]"
                        + ".map(button => button.getBoundingClientRect().height))"))
                .isGreaterThanOrEqualTo(40);
        browser.evaluate("frame.scrollIntoView({block: 'start'})");
        browser.painted();
        double span = number("view.span");
        double y = number("frame.getBoundingClientRect().top") + 120;
        double middle = 58 + number("plot()") / 2;
        browser.touch("touchStart", new double[] {middle - 20, y}, new double[] {middle + 20, y});
        browser.touch("touchMove", new double[] {middle - 40, y}, new double[] {middle + 20, y});
        browser.touch("touchMove", new double[] {middle - 80, y}, new double[] {middle + 80, y});
        browser.touch("touchEnd");
        browser.painted();
        assertThat(number("view.span")).isLessThan(span / 2);
        browser.picture(PICTURES.resolve("phone-near.png"));
    }
}
