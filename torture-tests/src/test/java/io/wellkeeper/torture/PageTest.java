package io.wellkeeper.torture;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.torture.Event.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PageTest {

    @TempDir
    Path directory;

    @Test
    void writePage_namesFullOfMarkup_showsThemAsText() throws IOException {
        Lock lock = Lock.mutex("</script><img/src=x/onerror=alert(1)>@DATA@", true);
        Scenario scenario = new Scenario(lock).section(1, 9, 1, 1, lock, 1).section(3, 5, 2, 1, lock, 2);
        String page = page(scenario, "torture of <b>&\"");
        assertThat(page)
                .contains("<title>torture of &lt;b&gt;&amp;&quot;</title>")
                .contains("&lt;/script&gt;&lt;img/src=x/onerror=alert(1)&gt;")
                .doesNotContain("<img")
                .doesNotContain("<b>");
    }

    @Test
    void writePage_any_asksForNothingElse() throws IOException {
        Lock lock = Lock.mutex("a", true);
        assertThat(page(new Scenario(lock).section(1, 2, 1, 1, lock, 1), "torture"))
                .contains("default-src 'none'")
                .doesNotContain("http:")
                .doesNotContain("https:")
                .doesNotContain("src=")
                .doesNotContain("href=");
    }

    @Test
    void writePage_emptyRun_isAPage() throws IOException {
        assertThat(page(new Scenario(), "torture")).contains("violations    none");
    }

    private String page(Scenario scenario, String title) throws IOException {
        try (History history = new History(directory, "one")) {
            scenario.events().forEach(history::add);
            history.add(new Event(0, Kind.PHASE, 0, 0, "warm-up", 0, 0));
        }
        Path file = directory.resolve("page.html");
        Report.of(directory).writePage(file, title);
        return Files.readString(file);
    }
}
