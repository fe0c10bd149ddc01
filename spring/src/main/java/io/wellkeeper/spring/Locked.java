package io.wellkeeper.spring;

import io.wellkeeper.LockClient;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;

/**
 * Makes a method of a Spring bean run under a lock that all processes share. The lock is acquired before the method
 * runs and released after the method, however it ends. {@link EnableLocked} switches it on; the locks are those of the
 * {@link LockClient} in the application context.
 *
 * <pre>{@code
 * @Locked("order/#{#id}")
 * public void ship(long id) { ... }
 * }</pre>
 *
 * <p><b>Transactions.</b> The lock is acquired before the method's own transaction begins, and released after it has
 * ended, because the advisor of this annotation comes before the one of transactions. Where a transaction is active
 * already when the lock is acquired, whatever the order of advisors, the lock is kept until that transaction has ended;
 * see {@link #inTransaction()}. Right before a commit there is a check that the locks are still held: a transaction
 * whose lock was lost is rolled back, and the caller gets a {@link io.wellkeeper.LockLostException}. (This needs a
 * transaction manager that is a bean and a {@link org.springframework.transaction.ConfigurableTransactionManager}, as
 * all of Spring's are.)
 *
 * <p><b>Failure.</b> If the lock is lost while the method runs, the caller gets a {@link
 * io.wellkeeper.LockLostException}: at the commit, or when the method returns. If the method throws, the caller gets
 * the method's exception. Code that writes outside of a transaction should send the fencing token to the storage: a
 * parameter of type {@link io.wellkeeper.LockHandle} is filled in with the held lock (of type {@link
 * io.wellkeeper.MultiLockHandle} where there are several names), and one of type {@code long} that is annotated with
 * {@link FencingToken} with the token. In nested code {@link CurrentLock} gives the token.
 *
 * <p><b>Reentrancy.</b> A thread that runs a guarded method and calls another one with the same lock name does not wait
 * for itself; both methods share the hold. An exclusive or write lock covers everything except permits, a read lock
 * covers a read lock, and permits cover permits. A writer within a reader is refused with {@link
 * IllegalStateException}. Locks that the code acquires itself, by {@link LockClient#lock}, take no part in this.
 *
 * <p><b>Results that come later.</b> Where the method returns a {@link java.util.concurrent.CompletionStage}, the lock
 * is held until it is complete. Where it returns a reactive type that Spring's {@link
 * org.springframework.core.ReactiveAdapterRegistry} knows, such as {@code Mono} and {@code Flux}, the lock is acquired
 * at each subscription, without blocking a thread, and held until that ends. A suspending function of Kotlin holds the
 * lock until it has ended, even if its caller was cancelled before; a {@code Deferred} of Kotlin until it is complete;
 * and a {@code Flow} during each collection. (All three need {@code kotlinx-coroutines-reactor} and {@code
 * kotlin-reflect} on the class path.) Reentrancy, {@link CurrentLock} and the check before a commit depend on the
 * thread, so they do not work for these results. Other results that come later ({@code Future}, {@code Callable},
 * {@code Stream}) are refused at start.
 *
 * <p><b>What is refused at start</b>, when the bean is made: methods that no proxy can guard (private, static, final),
 * names that cannot be parsed or that refer to parameters, properties or beans that do not exist, invalid durations and
 * numbers, and combinations that make no sense. Calls of a method from within its own bean do not go through the proxy
 * and are not guarded; {@link CurrentLock#assertHeld()} and the rule in {@code io.wellkeeper.spring.testing} find them.
 *
 * <p><b>Cost.</b> As {@link io.wellkeeper.DistributedLock}: one round trip if the lock is free; the call does not wait
 * for the release.
 */
@Documented
@Reflective(LockedReflectiveProcessor.class)
@Retention(RetentionPolicy.RUNTIME)
@SuppressWarnings("exports") // only Spring uses the processor
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
public @interface Locked {

    /**
     * {@return the lock's name, or several that are acquired as one ({@link LockClient#all})} {@code ${..}} is a
     * property, which is resolved once, at start; <code>#&#123;..&#125;</code> an expression in Spring's language over
     * the method's parameters ({@code #id}, or {@code #p0} by position) and over beans ({@code @tenants}), which is
     * evaluated at each call. All other text is taken literally.
     *
     * <p>An expression whose value is null, blank text, or an object without a text of its own, such as an array or an
     * object without {@code toString()}, ends the call with {@link IllegalArgumentException}. Parameter names need the
     * compiler option {@code -parameters}. If two names have the same value in a call, they count as one.
     */
    String[] value();

    /** {@return which lock of the name is acquired} */
    Mode mode() default Mode.EXCLUSIVE;

    /**
     * {@return how many calls may run at once, with {@link Mode#PERMITS}; the same number wherever the name is used}
     * With other modes it must not be given. The value is a number, which {@code ${..}} may give.
     */
    String permits() default "";

    /**
     * {@return how long to wait for the lock at most, such as {@code 500ms}, {@code 5s} or {@code PT5S}} {@code ${..}} may give it. By
     * default a call waits without a limit, or not at all with {@link OnBusy#SKIP}. With {@code 0s} it does not wait in
     * the queue.
     */
    String waitFor() default "";

    /** {@return what happens to a call that does not get the lock in time} */
    OnBusy onBusy() default OnBusy.THROW;

    /**
     * {@return the time after which a call is logged as a warning and its thread is interrupted, once; never by
     * default} The lock is not released: it is held until the method has ended. If the method leaves the interrupt
     * unanswered, the interrupt status is cleared when the method ends. For results that come later there is only the
     * warning. Such as {@code 30s} or {@code PT1M}; {@code ${..}} may give it.
     */
    String maxHold() default "";

    /** {@return what to do if a transaction is active already when the lock is to be acquired} */
    InTransaction inTransaction() default InTransaction.DEFAULT;

    /** The kinds of locks that a name can have. */
    enum Mode {
        /** The exclusive lock: one call at a time. */
        EXCLUSIVE,
        /** The read lock of a read-write lock. */
        READ,
        /** The write lock of a read-write lock. */
        WRITE,
        /** One permit of a semaphore. */
        PERMITS
    }

    /** What can happen to a call that does not get the lock in time. */
    enum OnBusy {
        /** The call ends with {@link LockNotAcquiredException}. */
        THROW,
        /**
         * The call returns without having run the method. It returns nothing, an empty {@code Optional}, or {@code
         * false}; a suspending function of Kotlin also null, if its result may be null. Methods with other results are
         * refused at start.
         */
        SKIP
    }
}
