package io.wellkeeper.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every Java sample of the documents compiles, as the body of a method in a program that has what the samples speak of. */
class SamplesTest {

    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
    private static final String BEGIN = """
            import io.wellkeeper.*;
            import io.micrometer.core.instrument.*;
            import io.micrometer.observation.ObservationRegistry;
            import io.wellkeeper.jdbc.*;
            import io.wellkeeper.micrometer.*;
            import io.wellkeeper.redis.*;
            import io.wellkeeper.spring.*;
            import io.wellkeeper.spring.integration.*;
            import io.wellkeeper.spring.testing.*;
            import io.wellkeeper.shedlock.*;
            import io.wellkeeper.testkit.*;
            import io.wellkeeper.zookeeper.*;
            import com.tngtech.archunit.core.importer.*;
            import java.time.*;
            import java.util.concurrent.*;
            import java.util.concurrent.locks.Lock;
            import org.springframework.context.annotation.*;
            import org.springframework.integration.support.locks.LockRegistry;
            import org.springframework.stereotype.*;
            import net.javacrumbs.shedlock.core.*;
            import org.junit.jupiter.api.Test;
            import org.junit.jupiter.api.extension.RegisterExtension;
            import static org.assertj.core.api.Assertions.assertThat;
            """;
    private static final String SURROUNDINGS = """
            abstract class %s {
                interface Stock { void take(int amount, long fence); }
                interface Report { void send(long fence); CompletableFuture<Void> sendAsync(long fence); }
                interface Orders { void markShipped(long id, long fence); }
                @interface Transactional {}
                record Customer(long id) {}
                record Order(Customer customer) {}
                interface Job extends Runnable { void abort(); }
                record Shipping(LockClient client) { boolean ship(int order) { return false; } }
                Stock stock; Report report; Orders orders; Job job; javax.sql.DataSource dataSource; java.sql.Connection connection;
                MeterRegistry registry; ObservationRegistry observations;
                LeaderElection.Listener listener; DistributedCondition notEmpty;
                %s
                void sample() throws Exception {
            """;

    @TempDir
    private Path classes;

    /** What a sample takes for granted because one before it in its document, or every document, declares it. */
    private static String fields(String body) {
        String fields = "";
        for (String field : List.of("LockClient client", "DistributedLock lock", "LockMetrics metrics")) {
            fields += body.contains(field + " =") ? "" : field + "; ";
        }
        return fields;
    }

    private static final class Sample extends SimpleJavaFileObject {

        private final String text;

        Sample(String document, int line, String body) {
            super(URI.create("string:///" + name(document, line) + ".java"), Kind.SOURCE);
            this.text = BEGIN + SURROUNDINGS.formatted(name(document, line), fields(body)) + body + "\n}}\n";
        }

        private static String name(String document, int line) {
            return document.replaceAll("\\W", "_") + "_line_" + line;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    @Test
    void samples_ofAllDocuments_compile() throws IOException {
        List<Sample> samples = new ArrayList<>();
        for (Path document : documents()) {
            List<String> lines = Files.readAllLines(document);
            for (int line = 0; line < lines.size(); line++) {
                if (lines.get(line).equals("```java")) {
                    int end = line + lines.subList(line, lines.size()).indexOf("```");
                    String body = String.join("\n", lines.subList(line + 1, end));
                    samples.add(new Sample(ROOT.relativize(document).toString(), line + 2, body));
                }
            }
        }
        assertThat(samples).hasSizeGreaterThan(10);

        assertThat(problems(samples)).isEmpty();
    }

    @Test
    void samples_oneDoesNotCompile_isFound() {
        Sample wrong = new Sample("wrong.md", 1, "lock.luck();");

        assertThat(problems(List.of(wrong))).singleElement().asString().contains("wrong_md_line_1", "luck");
    }

    /** {@code redis/boot-versions} compiles these against what is published. */
    @Test
    void programsThatAScriptCompiles_compile() throws IOException {
        try (Stream<Path> files = Files.list(ROOT.resolve("redis/src/boot"));
                StandardJavaFileManager manager =
                        ToolProvider.getSystemJavaCompiler().getStandardFileManager(null, null, null)) {
            List<Path> programs = files.toList();
            assertThat(programs).hasSize(2);
            assertThat(problems(manager.getJavaFileObjectsFromPaths(programs))).isEmpty();
        }
    }

    private List<String> problems(Iterable<? extends JavaFileObject> samples) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> told = new DiagnosticCollector<>();
        List<String> options =
                List.of("-classpath", System.getProperty("java.class.path"), "-proc:none", "-d", classes.toString());
        compiler.getTask(null, null, told, options, null, samples).call();
        return told.getDiagnostics().stream()
                .filter(one -> one.getKind() == Diagnostic.Kind.ERROR)
                .map(Diagnostic::toString)
                .toList();
    }

    private static List<Path> documents() throws IOException {
        List<Path> all = new ArrayList<>();
        for (Path folder : List.of(ROOT, ROOT.resolve("docs"))) {
            try (Stream<Path> files = Files.list(folder)) {
                files.filter(file -> file.toString().endsWith(".md")).forEach(all::add);
            }
        }
        return all;
    }
}
