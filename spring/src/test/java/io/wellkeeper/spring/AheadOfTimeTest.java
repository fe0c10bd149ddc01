package io.wellkeeper.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.LockClient;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import kotlin.coroutines.Continuation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.FileSystemGeneratedFiles;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.ReflectionHintsPredicates;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.javapoet.ClassName;

/** Contexts that are processed ahead of time, as for native images. */
class AheadOfTimeTest {

    @TempDir
    private Path folder;

    /** A store that outlives the contexts. */
    @Configuration(proxyBeanMethods = false)
    @EnableLocked(order = 4711)
    @Import(Orders.class)
    static class Locking {

        @Bean
        Tenants tenants() {
            return new Tenants();
        }

        @Bean(destroyMethod = "close")
        InMemoryServer server() {
            return new InMemoryServer();
        }

        @Bean
        LockClient lockClient(InMemoryServer server) {
            return LockClient.over(new InMemoryTicketStore(server));
        }
    }

    /** What expressions look into. */
    public record Order(long id, Customer customer) {}

    /** What is seen by what they look into. */
    public record Customer(Address address) {}

    /** And by that. */
    public record Address(String city) {}

    /** A bean that they ask. */
    public static class Tenants {

        /** For Spring. */
        public Tenants() {}

        /** Asked for in names. */
        public Address home() {
            return new Address("hamburg");
        }
    }

    /** Guarded. */
    public static class Orders {

        /** For proxies. */
        public Orders() {}

        @Locked("order/#{#order.id}/#{#country}")
        public boolean ship(Order order, String country) {
            CurrentLock.assertHeld("order/" + order.id() + "/" + country);
            return true;
        }

        @Locked("city/#{#order?.customer.address().city}/#{@tenants.home().city}")
        public boolean travel(Order order) {
            return true;
        }
    }

    private RuntimeHints process() {
        DefaultGenerationContext generation = new DefaultGenerationContext(
                new ClassNameGenerator(ClassName.get(AheadOfTimeTest.class)),
                new FileSystemGeneratedFiles(kind -> folder.resolve(kind.name())));
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.register(Locking.class);
            new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
        }
        generation.writeGeneratedContent();
        return generation.getRuntimeHints();
    }

    @Test
    void hints_areOfGuardedMethods_andOfWhatTheirExpressionsAsk() throws Exception {
        RuntimeHints hints = process();

        ReflectionHintsPredicates reflection = RuntimeHintsPredicates.reflection();
        assertThat(reflection.onMethodInvocation(Orders.class.getMethod("ship", Order.class, String.class)))
                .accepts(hints);
        assertThat(reflection.onMethodInvocation(Order.class.getMethod("id"))).accepts(hints);
        assertThat(reflection.onMethodInvocation(Customer.class.getMethod("address")))
                .accepts(hints);
        assertThat(reflection.onMethodInvocation(Address.class.getMethod("city")))
                .accepts(hints);
        assertThat(reflection.onMethodInvocation(Tenants.class.getMethod("home")))
                .accepts(hints);
        assertThat(reflection.onMethodInvocation(String.class.getMethod("length")))
                .rejects(hints);
    }

    /** As Kotlin compiles it. */
    interface Suspending {

        Object ship(Order order, Continuation<? super String> rest);
    }

    @Test
    void hints_ofSuspendingFunctions_areNotOfWhereTheyGoOn() throws Exception {
        RuntimeHints hints = new RuntimeHints();

        new LockedReflectiveProcessor()
                .registerReflectionHints(
                        hints.reflection(), Suspending.class.getMethod("ship", Order.class, Continuation.class));

        assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Order.class.getMethod("id")))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection().onType(Continuation.class))
                .rejects(hints);
    }

    private List<String> files(String kind) throws IOException {
        try (Stream<Path> files = Files.walk(folder.resolve(kind))) {
            return files.filter(Files::isRegularFile).map(Path::toString).toList();
        }
    }

    @Test
    void context_madeAheadOfTime_guardsAsAnyOther() throws Exception {
        process();
        Path classes = Files.createDirectories(folder.resolve("CLASS"));
        List<String> sources = files("SOURCE");
        List<String> options = Stream.concat(
                        Stream.of(
                                "-proc:none",
                                "-nowarn",
                                "-d",
                                classes.toString(),
                                "-classpath",
                                System.getProperty("java.class.path")),
                        sources.stream())
                .toList();
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, options.toArray(String[]::new)))
                .isZero();

        Process program = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Dspring.aot.enabled=true",
                        "-classpath",
                        classes + File.pathSeparator + System.getProperty("java.class.path"),
                        Program.class.getName())
                .redirectErrorStream(true)
                .start();
        String said = new String(program.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(said.strip()).isEqualTo("4711, true");
    }

    /** Starts the context with what was generated, and calls a guarded method. */
    static final class Program {

        public static void main(String[] arguments) throws Exception {
            try (GenericApplicationContext context = new GenericApplicationContext()) {
                Object initializer = Class.forName(AheadOfTimeTest.class.getName() + "__ApplicationContextInitializer")
                        .getConstructor()
                        .newInstance();
                initialize((ApplicationContextInitializer<?>) initializer, context);
                context.refresh();
                int order = context.getBean(LockedSettings.class).order();
                boolean shipped =
                        context.getBean(Orders.class).ship(new Order(42, new Customer(new Address("kiel"))), "de");
                System.out.println(order + ", " + shipped);
            }
        }

        @SuppressWarnings("unchecked")
        private static void initialize(
                ApplicationContextInitializer<?> initializer, GenericApplicationContext context) {
            ((ApplicationContextInitializer<GenericApplicationContext>) initializer).initialize(context);
        }
    }
}
