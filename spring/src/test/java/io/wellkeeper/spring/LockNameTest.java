package io.wellkeeper.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

/** Names of locks, made of text, properties, arguments and beans. */
class LockNameTest {

    private final DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
    private final NameExpressions expressions;

    LockNameTest() {
        StandardEnvironment environment = new StandardEnvironment();
        environment
                .getPropertySources()
                .addFirst(new MapPropertySource("test", Map.of("region", "eu", "empty", "", "prefix", "shop/#{#id}")));
        beans.registerSingleton("tenants", new Tenants());
        beans.registerSingleton("tenants.archive", new Tenants());
        beans.registerBeanDefinition("source", new RootBeanDefinition(Source.class, ArchiveSource::new));
        expressions = new NameExpressions(beans, environment);
    }

    /** What a bean can say. */
    public static final class Tenants {
        private int asked;

        public String current() {
            return "tenant-" + ++asked;
        }
    }

    /** As which a bean is declared; what it has may have more. */
    public interface Source {}

    /** What the bean is. */
    public static final class ArchiveSource implements Source {
        public String archive() {
            return "archived";
        }
    }

    /** What has a text and properties. */
    public record Order(long id, Optional<String> note, Map<String, Integer> parts, List<Long> lines, Silent silent) {
        public String shop(String country) {
            return "shop-" + country;
        }

        public String anything(Object... of) {
            return "any";
        }

        public int anything(int of) {
            return of;
        }
    }

    /** What has no text. */
    public static final class Silent {
        public Object open = "open";
        public final long number = 7;
    }

    /** What has the text of all objects. */
    public static final class Delegating {
        @Override
        public String toString() {
            return super.toString();
        }
    }

    /** What may have a text, in a class below it. */
    public static class Open {}

    /** With a text. */
    public static final class Named extends Open {
        @Override
        public String toString() {
            return "named";
        }
    }

    @SuppressWarnings("unused")
    void method(
            @Nullable Object id,
            @Nullable Order order,
            Silent silent,
            @Nullable Open open,
            byte[] bytes,
            List<String> list,
            UUID uuid,
            int number,
            Source source,
            Optional<Order> optional) {}

    private static final Method METHOD = Arrays.stream(LockNameTest.class.getDeclaredMethods())
            .filter(method -> method.getName().equals("method"))
            .findFirst()
            .orElseThrow();

    private LockName name(String template) {
        return new LockName(METHOD, LockNameTest.class, template, expressions.positions(METHOD), expressions);
    }

    private static Object[] arguments(@Nullable Object id) {
        Map<String, Integer> parts = new LinkedHashMap<>();
        parts.put("bolt", 3);
        Order order = new Order(42, Optional.of("urgent"), parts, List.of(5L, 6L), new Silent());
        return new @Nullable Object[] {
            id,
            order,
            new Silent(),
            new Named(),
            new byte[1],
            List.of("x"),
            new UUID(0, 1),
            9,
            new ArchiveSource(),
            Optional.of(order)
        };
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "plain | plain",
                "order/42#7 | order/42#7",
                "#id | #id",
                "order/#{#id} | order/17",
                "order/#{#p0}/#{#a7} | order/17/9",
                "${region}/#{#order.id} | eu/42",
                "${missing:none}/x | none/x",
                "${prefix} | shop/17",
                "#{#order.note}/#{#order?.id()} | urgent/42",
                "#{#order.shop('de')} | shop-de",
                "#{#order.anything(1)} | 1",
                "#{#order.parts['bolt']} | 3",
                "#{#order.lines[1]} | 6",
                "#{#order.lines.![#this + 1].get(0)} | 6",
                "#{#order.silent.number}/#{#silent.open} | 7/open",
                "#{#open} | named",
                "#{#id + 1}/#{#id > 3 ? 'big' : 'small'} | 18/big",
                "#{T(java.lang.Math).max(#number, 12)} | 12",
                "#{T(Integer).toString(#number)}/#{T(String).name}/#{T(int).simpleName} | 9/java.lang.String/int",
                "#{'literal'} | literal",
                "#{#number.toString()}/#{#number.intValue()} | 9/9",
                "#{#source.class.simpleName}/#{#source.archive()} | ArchiveSource/archived",
                "#{@source.archive()} | archived",
                "#{#optional?.note?.toUpperCase()}/#{#optional?.id} | URGENT/42",
                "#{#optional?.isPresent()}/#{#optional.get().id} | true/42",
                "#{new StringBuilder('made')} | made",
            })
    void name_ofArguments(String template, String expected) {
        assertThat(name(template).of(arguments(17))).isEqualTo(expected);
    }

    @Test
    void name_ofABean_asksItAtEachCall() {
        LockName name = name("#{@tenants.current()}/#{#id}");

        assertThat(name.of(arguments(1))).isEqualTo("tenant-1/1");
        assertThat(name.of(arguments(1))).isEqualTo("tenant-2/1");
        assertThat(name("#{@'tenants.archive'.current()}").of(arguments(1))).isEqualTo("tenant-1");
    }

    @Test
    void name_evaluatedOften_isCompiled_andStaysTheSame() {
        LockName name = name("order/#{#order.id}/#{#order.shop('de')}/#{#number}");

        for (int i = 0; i < 1_000; i++) {
            assertThat(name.of(arguments(1))).isEqualTo("order/42/shop-de/9");
        }
        for (Object id : List.of(1, "text", 2L, UUID.randomUUID())) {
            assertThat(name("#{#id}").of(arguments(id))).isEqualTo(id.toString());
        }
    }

    @Test
    void part_thatComesToNothing_endsTheCall_andNamesMethodAndParameters() {
        LockName name = name("order/#{#id}");

        for (Object nothing : new @Nullable Object[] {null, "", "  ", Optional.empty()}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> name.of(arguments(nothing)))
                    .withMessageContainingAll("order/#{#id}", "LockNameTest.method(", "#{#id} is ", "-parameters");
        }
    }

    @Test
    void part_withoutAText_endsTheCall() {
        LockName name = name("#{#id}");

        for (Object silent :
                List.of(new Object(), new Silent(), new Delegating(), new int[] {1}, List.of(1), Map.of(1, 2))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> name.of(arguments(silent)))
                    .withMessageContaining("no text");
        }
    }

    @Test
    void part_thatCannotBeEvaluated_endsTheCall() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> name("#{#id.length()}").of(arguments(1)))
                .withMessageContainingAll("#id.length()", "LockNameTest.method(");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | blank",
                "'  ' | blank",
                "${empty} | blank",
                "${missing} | missing",
                "wellkeeper:own | wellkeeper:",
                "order/#{ | \"order/#{\"",
                "order/#{#id | \"order/#{#id\"",
                "order/#{#} | \"order/#{#}\"",
                "#{#missing} | there is no parameter #missing",
                "#{#order.missing} | no property missing",
                "#{#order.silent.missing} | no property missing",
                "#{#order.missing()} | no method missing",
                "#{#order.shop(#missing)} | there is no parameter #missing",
                "#{#order.lines.![#missing]} | there is no parameter #missing",
                "#{#this} | there is no parameter #this",
                "#{id} | a parameter is written #id",
                "#{id.length()} | a parameter is written #id",
                "#{current()} | not the property or method of anything",
                "#{@missing} | there is no bean missing",
                "#{@missing.current()} | there is no bean missing",
                "#{T(com.missing.Type).x()} | there is no type com.missing.Type",
                "#{T(Missing).x()} | there is no type Missing",
                "#{T(Math).maxx(1, 2)} | java.lang.Math has no method maxx",
                "#{T(Math).max(1)} | no method max with 1 arguments",
                "#{new Missing()} | there is no type Missing",
                "#{#shop(1)} | there is no function #shop(1)",
                "#{@tenants.curent()} | Tenants has no method curent",
                "#{@tenants.current(1)} | no method current with 1 arguments",
                "#{@tenants.asked} | no property asked",
                "#{#number.missing()} | no method missing",
                "#{#optional?.missing} | Order has no property missing",
                "#{#optional?.missing()} | no method missing",
                "#{#order.shop()} | no method shop with 0 arguments",
                "#{#number++} | changes nothing",
                "#{--#number} | changes nothing",
                "#{{1, 2}} | no text",
                "#{{'a': 1}} | no text",
                "#{#id = 3} | changes nothing",
                "#{#silent} | no text",
                "#{#order.silent} | no text",
                "#{#bytes} | no text",
                "#{#list} | no text",
                "#{#order.parts} | no text",
            })
    void name_thatCannotBe_isRefusedBeforeThereIsACall(String template, String problem) {
        assertThatExceptionOfType(InvalidLockedMethodException.class)
                .isThrownBy(() -> name(template))
                .withMessageContainingAll("LockNameTest.method(", problem);
    }
}
