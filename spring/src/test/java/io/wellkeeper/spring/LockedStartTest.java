package io.wellkeeper.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.MultiLockHandle;
import io.wellkeeper.Permits;
import io.wellkeeper.testkit.InMemoryLeaseStore;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.Stream;
import kotlin.coroutines.Continuation;
import kotlinx.coroutines.Deferred;
import kotlinx.coroutines.flow.Flow;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.PriorityOrdered;
import org.springframework.core.annotation.AliasFor;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import reactor.core.publisher.ConnectableFlux;

/** What is found, and refused, when an application context starts. */
class LockedStartTest extends ContextTest {

    @Configuration(proxyBeanMethods = false)
    @EnableLocked
    static class Enabled {}

    private Throwable refusal(Class<?> bean) {
        try {
            start(Enabled.class, bean);
        } catch (BeanCreationException refused) {
            return Objects.requireNonNull(refused.getCause());
        }
        throw new AssertionError(bean + " was not refused");
    }

    private static final String WITHOUT_BRIDGES =
            ", which Spring can await only with org.jetbrains.kotlin:kotlin-reflect and"
                    + " org.jetbrains.kotlinx:kotlinx-coroutines-reactor on the class path";
    private static final Map<Class<?>, String> REFUSED = Map.ofEntries(
            Map.entry(Final.class, "is final"),
            Map.entry(Static.class, "is static"),
            Map.entry(Private.class, "is private"),
            Map.entry(NoName.class, "has no name"),
            Map.entry(Unparsable.class, "order/#{#id"),
            Map.entry(UnknownParameter.class, "-parameters"),
            Map.entry(UnknownProperty.class, "missing.property"),
            Map.entry(SkipsInt.class, "returns int"),
            Map.entry(SkipsFuture.class, "CompletableFuture"),
            Map.entry(WaitsForNonsense.class, "waitFor = \"soon\""),
            Map.entry(WaitsBackwards.class, "negative"),
            Map.entry(HoldsForNothing.class, "maxHold is zero"),
            Map.entry(PermitsWithoutNumber.class, "permits says"),
            Map.entry(NumberWithoutPermits.class, "permits says"),
            Map.entry(NonsensePermits.class, "permits = \"many\""),
            Map.entry(NoPermits.class, "at least 1"),
            Map.entry(PermitsOfTwo.class, "permits are of one name"),
            Map.entry(TokenOfTwo.class, "MultiLockHandle has the tokens"),
            Map.entry(TokenAsInt.class, "of type long"),
            Map.entry(HandleOfTwo.class, "MultiLockHandle"),
            Map.entry(MultiHandleOfOne.class, "as a LockHandle"),
            Map.entry(PermitsHandle.class, "as a LockHandle"),
            Map.entry(NameOfFilled.class, "no parameter #token"),
            Map.entry(ReturnsFuture.class, "java.util.concurrent.Future"),
            Map.entry(ReturnsOwnFuture.class, "OwnFuture"),
            Map.entry(ReturnsCallable.class, "Callable"),
            Map.entry(ReturnsRunnable.class, "Runnable"),
            Map.entry(ReturnsSupplier.class, "Supplier"),
            Map.entry(ReturnsStream.class, "Stream"),
            Map.entry(ReturnsConnectable.class, "ConnectableFlux"),
            Map.entry(ReturnsFlow.class, "Flow" + WITHOUT_BRIDGES),
            Map.entry(ReturnsDeferred.class, "Deferred" + WITHOUT_BRIDGES),
            Map.entry(Suspends.class, "suspending function" + WITHOUT_BRIDGES));

    static Stream<Class<?>> refused() {
        return REFUSED.keySet().stream();
    }

    @ParameterizedTest
    @MethodSource("refused")
    void method_thatCannotBeGuarded_isRefused(Class<?> bean) {
        assertThat(refusal(bean))
                .isInstanceOf(InvalidLockedMethodException.class)
                .hasMessageContaining(bean.getSimpleName() + ".run(")
                .hasMessageContaining(REFUSED.get(bean));
        assertThat(isHeld("x")).isFalse();
    }

    // spotless:off
    static class Final {
        @Locked("x")
        public final void run() {}
    }

    static class Static {
        @Locked("x")
        public static void run() {}
    }

    static class Private {
        @Locked("x")
        private void run() {}
    }

    static class NoName {
        @Locked({})
        public void run() {}
    }

    static class Unparsable {
        @Locked("order/#{#id")
        public void run(long id) {}
    }

    static class UnknownParameter {
        @Locked("order/#{#order}")
        public void run(long id) {}
    }

    static class UnknownProperty {
        @Locked("${missing.property}")
        public void run() {}
    }

    static class SkipsInt {
        @Locked(value = "x", onBusy = Locked.OnBusy.SKIP)
        public int run() {
            return 1;
        }
    }

    static class SkipsFuture {
        @Locked(value = "x", onBusy = Locked.OnBusy.SKIP)
        public @Nullable CompletableFuture<Boolean> run() {
            return null;
        }
    }

    static class WaitsForNonsense {
        @Locked(value = "x", waitFor = "soon")
        public void run() {}
    }

    static class WaitsBackwards {
        @Locked(value = "x", waitFor = "-1s")
        public void run() {}
    }

    static class HoldsForNothing {
        @Locked(value = "x", maxHold = "0s")
        public void run() {}
    }

    static class PermitsWithoutNumber {
        @Locked(value = "x", mode = Locked.Mode.PERMITS)
        public void run() {}
    }

    static class NumberWithoutPermits {
        @Locked(value = "x", permits = "3")
        public void run() {}
    }

    static class NonsensePermits {
        @Locked(value = "x", mode = Locked.Mode.PERMITS, permits = "many")
        public void run() {}
    }

    static class NoPermits {
        @Locked(value = "x", mode = Locked.Mode.PERMITS, permits = "0")
        public void run() {}
    }

    static class PermitsOfTwo {
        @Locked(
                value = {"x", "y"},
                mode = Locked.Mode.PERMITS,
                permits = "1")
        public void run() {}
    }

    static class TokenOfTwo {
        @Locked({"x", "y"})
        public void run(@FencingToken long token) {}
    }

    static class TokenAsInt {
        @Locked("x")
        public void run(@FencingToken int token) {}
    }

    static class HandleOfTwo {
        @Locked({"x", "y"})
        public void run(LockHandle handle) {}
    }

    static class MultiHandleOfOne {
        @Locked("x")
        public void run(MultiLockHandle handle) {}
    }

    static class PermitsHandle {
        @Locked(value = "x", mode = Locked.Mode.PERMITS, permits = "1")
        public void run(Permits permits) {}
    }

    static class NameOfFilled {
        @Locked("x/#{#token}")
        public void run(@FencingToken long token) {}
    }

    static class ReturnsFuture {
        @Locked("x")
        public @Nullable Future<String> run() {
            return null;
        }
    }

    static class OwnFuture extends CompletableFuture<String> {}

    static class ReturnsOwnFuture {
        @Locked("x")
        public @Nullable OwnFuture run() {
            return null;
        }
    }

    static class ReturnsCallable {
        @Locked("x")
        public @Nullable Callable<String> run() {
            return null;
        }
    }

    static class ReturnsRunnable {
        @Locked("x")
        public @Nullable Runnable run() {
            return null;
        }
    }

    static class ReturnsSupplier {
        @Locked("x")
        public @Nullable Supplier<String> run() {
            return null;
        }
    }

    static class ReturnsStream {
        @Locked("x")
        public @Nullable Stream<String> run() {
            return null;
        }
    }

    static class ReturnsConnectable {
        @Locked("x")
        public @Nullable ConnectableFlux<String> run() {
            return null;
        }
    }

    static class ReturnsFlow {
        @Locked("x")
        public @Nullable Flow<String> run() {
            return null;
        }
    }

    static class ReturnsDeferred {
        @Locked("x")
        public @Nullable Deferred<String> run() {
            return null;
        }
    }

    static class Suspends {
        @Locked("x")
        public @Nullable Object run(Continuation<? super String> rest) {
            return null;
        }
    }
    // spotless:on

    /** An annotation of the user's own. */
    @Locked("order/#{#id}")
    @Retention(RetentionPolicy.RUNTIME)
    @interface OrderLocked {

        @AliasFor(annotation = Locked.class, attribute = "waitFor")
        String atMost() default "${wait}";
    }

    /** What clients of a bean see. */
    interface Shipping {

        @Locked("order/#{#id}")
        boolean ship(long id);
    }

    /** Guarded by what its interface says. */
    static class Ships implements Shipping {

        @Override
        public boolean ship(long id) {
            CurrentLock.assertHeld("order/" + id);
            return true;
        }
    }

    /** Guarded by the annotation that the user has made. */
    static class Composed {

        @OrderLocked
        public String ship(long id) {
            CurrentLock.assertHeld("order/" + id);
            return "shipped";
        }

        @OrderLocked(atMost = "1ms")
        protected String brief(long id) {
            return "shipped";
        }

        @Locked(value = "erp", mode = Locked.Mode.PERMITS, permits = "${erp.connections}")
        public void permitted() {}
    }

    /** Guarded with the arguments of its type parameters. */
    abstract static class Generic<T> {

        @Locked("entity/#{#entity.toString()}")
        public void save(T entity) {
            CurrentLock.assertHeld("entity/" + entity);
        }
    }

    static class OfLong extends Generic<Long> {}

    @Test
    void annotation_onAnInterface_guardsTheProxyOfThatInterface() {
        Shipping shipping = start(Enabled.class, Ships.class).getBean(Shipping.class);

        assertThat(AopUtils.isJdkDynamicProxy(shipping)).isTrue();
        assertThat(shipping.ship(1)).isTrue();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableLocked(proxyTargetClass = true)
    static class EnabledForClasses {}

    @Test
    void annotation_onAnInterface_guardsTheProxyOfTheClass() {
        Ships ships = start(EnabledForClasses.class, Ships.class).getBean(Ships.class);

        assertThat(AopUtils.isCglibProxy(ships)).isTrue();
        assertThat(ships.ship(1)).isTrue();
    }

    @Test
    void annotation_ofTheUsersOwn_isLocked_withPropertiesInAllItsTexts() {
        Composed composed = start(Map.of("wait", "10s", "erp.connections", 1), Enabled.class, Composed.class)
                .getBean(Composed.class);
        LockHandle taken = acquire(elsewhere(), "order/2");

        assertThat(composed.ship(1)).isEqualTo("shipped");
        composed.permitted();
        assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> composed.brief(2));
        taken.close();
    }

    @Test
    void annotation_onAGenericMethod_guardsIt() {
        start(Enabled.class, OfLong.class).getBean(OfLong.class).save(7L);

        awaitFree("entity/7");
    }

    @Test
    void client_thatIsMissing_isToldOfAtStart() {
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.register(Enabled.class, Ships.class);

            assertThatThrownBy(context::refresh)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(LockClient.class.getName());
        }
    }

    @Test
    void client_thatNobodyNeeds_isNotMissed() {
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(Enabled.class)) {
            assertThat(context.getBeansOfType(LockClient.class)).isEmpty();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableLocked
    static class LazyClient {

        @Bean
        @Lazy
        LockClient lazyClient() {
            throw new IllegalStateException("asked for");
        }
    }

    @Test
    void client_thatIsLazy_isAskedForAtTheFirstCall() {
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.register(LazyClient.class, Ships.class);
            context.refresh();

            assertThatThrownBy(() -> context.getBean(Shipping.class).ship(1)).hasStackTraceContaining("asked for");
        }
    }

    private AnnotationConfigApplicationContext startOverLeases(Class<?>... beans) {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        opened.push(context);
        context.registerBean(LeaseClient.class, () -> LeaseClient.over(new InMemoryLeaseStore(server)));
        context.register(Enabled.class);
        context.register(beans);
        context.refresh();
        return context;
    }

    /** Needs more than a client of leases has. */
    static class Reads {

        @Locked(value = "x", mode = Locked.Mode.READ)
        public void run() {}
    }

    @Test
    void leaseClient_guardsExclusively_andNothingElse() {
        assertThat(startOverLeases(Ships.class).getBean(Shipping.class).ship(1)).isTrue();

        assertThatExceptionOfType(InvalidLockedMethodException.class)
                .isThrownBy(() -> startOverLeases(Reads.class))
                .withMessageContaining("Reads.run()");
    }

    /** A processor that needs a guarded bean before there are proxies. */
    static class Early implements BeanPostProcessor, PriorityOrdered {

        @Override
        public int getOrder() {
            return HIGHEST_PRECEDENCE;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class EarlyProcessor {

        @Bean
        static Early early(Composed composed) {
            assertThat(composed).isNotNull();
            return new Early();
        }
    }

    @Test
    void bean_thatWasMadeTooEarly_isToldOf() {
        start(Map.of("wait", "1s", "erp.connections", 1), Enabled.class, EarlyProcessor.class, Composed.class);

        assertThat(log.text()).contains("NOT guarded", "Composed");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableLocked
    @EnableTransactionManagement
    @Import({Ships.class, Processor.class})
    static class WithProcessor {}

    /** A processor that comes late, as those of users do. */
    static class Processor implements BeanPostProcessor {

        Processor(BeanFactory beans) {
            assertThat(beans).isNotNull();
        }
    }

    @Test
    void start_makesNoBeanEarly() {
        Shipping shipping = start(WithProcessor.class).getBean(Shipping.class);

        assertThat(log.text()).isEmpty();
        assertThat(shipping.ship(1)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(classes = {Enabled.class, WithProcessor.class})
    void settings_areThoseOfTheAnnotation_once(Class<?> configuration) {
        AnnotationConfigApplicationContext context = start(configuration);

        assertThat(context.getBean(LockedSettings.class))
                .isEqualTo(new LockedSettings(LockedSettings.DEFAULT_ORDER, InTransaction.RELEASE_AFTER_COMPLETION));
    }

    @Configuration(proxyBeanMethods = false)
    @Import({LockedConfiguration.class, Ships.class})
    static class Imported {}

    @Test
    void configuration_importedWithoutTheAnnotation_guards_withDefaults() {
        assertThat(start(Imported.class).getBean(Shipping.class).ship(1)).isTrue();
    }

    @Test
    void exceptions_ofRefusedMethods_nameTheBean() {
        assertThatThrownBy(() -> start(Enabled.class, SkipsInt.class))
                .isInstanceOf(BeanCreationException.class)
                .hasMessageContaining("lockedStartTest.SkipsInt")
                .hasRootCauseInstanceOf(InvalidLockedMethodException.class);
    }
}
