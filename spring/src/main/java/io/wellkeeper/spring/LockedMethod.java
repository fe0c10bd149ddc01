package io.wellkeeper.spring;

import io.wellkeeper.Held;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockOptions;
import io.wellkeeper.MultiLockHandle;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttributeSource;

/** One guarded method, with the checked attributes of its {@link Locked}. */
final class LockedMethod {

    /** What replaces an argument of the method. */
    private enum Filled {
        HANDLE,
        TOKEN
    }

    private static final Duration LONGEST = Duration.ofDays(36_500);
    private static final TransactionAttributeSource TRANSACTIONS = new AnnotationTransactionAttributeSource();
    private static final Set<Integer> LEAVE_TRANSACTION =
            Set.of(TransactionDefinition.PROPAGATION_REQUIRES_NEW, TransactionDefinition.PROPAGATION_NOT_SUPPORTED);

    private final Method method;
    private final List<LockName> names;
    private final Locked.Mode mode;
    private final int permits;
    private final @Nullable Duration waitFor;
    private final boolean skip;
    private final @Nullable Duration maxHold;
    private final InTransaction inTransaction;
    private final Map<Integer, Filled> filled;
    private final Result result;
    private final boolean leavesTransaction;
    private final AtomicBoolean warned = new AtomicBoolean();
    private volatile @Nullable LockOptions options;

    /**
     * Checks all that can be checked before there is a call.
     *
     * @throws InvalidLockedMethodException if the method cannot be guarded as the annotation says
     */
    LockedMethod(
            Method method, Class<?> targetClass, Locked locked, LockedSettings settings, NameExpressions expressions) {
        this.method = method;
        checkProxied();
        this.result = Result.of(method);
        TransactionAttribute transaction = TRANSACTIONS.getTransactionAttribute(method, targetClass);
        this.leavesTransaction =
                transaction != null && LEAVE_TRANSACTION.contains(transaction.getPropagationBehavior());
        this.mode = locked.mode();
        this.permits = permits(locked, expressions);
        this.skip = locked.onBusy() == Locked.OnBusy.SKIP;
        Duration wait = duration("waitFor", locked.waitFor(), expressions);
        this.waitFor = wait == null && skip ? Duration.ZERO : wait;
        this.maxHold = duration("maxHold", locked.maxHold(), expressions);
        this.inTransaction =
                locked.inTransaction() == InTransaction.DEFAULT ? settings.inTransaction() : locked.inTransaction();
        if (maxHold != null && maxHold.isZero()) {
            throw invalid("maxHold is zero");
        }
        if (skip && !result.canBeSkipped()) {
            throw invalid(
                    "onBusy = SKIP is for methods that return void, Optional or boolean, and for suspending functions of"
                            + " Unit, Optional, Boolean or something nullable; this one returns " + result);
        }
        if (locked.value().length == 0) {
            throw invalid("it has no name");
        }
        if (several(locked) && mode == Locked.Mode.PERMITS) {
            throw invalid("permits are of one name");
        }
        this.filled = filled(several(locked));
        Map<String, Integer> positions = expressions.positions(method);
        positions.values().removeIf(filled::containsKey);
        if (result.coroutine() == Result.Coroutine.SUSPENDING) {
            int last = method.getParameterCount() - 1; // the continuation, which is no argument
            positions.values().removeIf(position -> position == last);
        }
        this.names = Arrays.stream(locked.value())
                .map(name -> new LockName(method, targetClass, name, positions, expressions))
                .toList();
    }

    private static boolean several(Locked locked) {
        return locked.value().length > 1;
    }

    private void checkProxied() {
        int modifiers = method.getModifiers();
        for (String hindrance : List.of("private", "static", "final")) {
            boolean hinders = switch (hindrance) {
                case "private" -> Modifier.isPrivate(modifiers);
                case "static" -> Modifier.isStatic(modifiers);
                default -> Modifier.isFinal(modifiers);
            };
            if (hinders) {
                throw invalid("the method is " + hindrance + ", so that no proxy can guard it");
            }
        }
    }

    private int permits(Locked locked, NameExpressions expressions) {
        if ((mode == Locked.Mode.PERMITS) == locked.permits().isEmpty()) {
            throw invalid("permits says how many calls may run at once with mode = PERMITS, and is only for it");
        }
        if (mode != Locked.Mode.PERMITS) {
            return 1;
        }
        try {
            int number = Integer.parseInt(expressions.resolve(locked.permits()).trim());
            if (number < 1) {
                throw new IllegalArgumentException("at least 1 is needed");
            }
            return number;
        } catch (IllegalArgumentException wrong) {
            throw new InvalidLockedMethodException(
                    method, "permits = \"" + locked.permits() + "\": " + wrong.getMessage(), wrong);
        }
    }

    private @Nullable Duration duration(String attribute, String text, NameExpressions expressions) {
        if (text.isEmpty()) {
            return null;
        }
        try {
            Duration duration = DurationFormatterUtils.detectAndParse(
                    expressions.resolve(text).trim());
            if (duration.isNegative() || duration.compareTo(LONGEST) > 0) {
                throw new IllegalArgumentException("it is negative, or longer than " + LONGEST);
            }
            return duration;
        } catch (IllegalArgumentException wrong) {
            throw new InvalidLockedMethodException(
                    method, attribute + " = \"" + text + "\": " + wrong.getMessage(), wrong);
        }
    }

    private Map<Integer, Filled> filled(boolean several) {
        Map<Integer, Filled> found = new TreeMap<>();
        Parameter[] parameters = method.getParameters();
        for (int position = 0; position < parameters.length; position++) {
            Class<?> type = parameters[position].getType();
            if (parameters[position].isAnnotationPresent(FencingToken.class)) {
                if (type != long.class || several) {
                    throw invalid(
                            "@FencingToken is for a parameter of type long of a method with one name; where there are"
                                    + " several, a MultiLockHandle has the tokens");
                }
                found.put(position, Filled.TOKEN);
            } else if (Held.class.isAssignableFrom(type)) {
                Class<?> held = several ? MultiLockHandle.class : LockHandle.class;
                if (type != held) {
                    throw invalid("what it holds is given to it as a " + held.getSimpleName() + ", and not as a "
                            + type.getSimpleName());
                }
                found.put(position, Filled.HANDLE);
            }
        }
        return found;
    }

    InvalidLockedMethodException invalid(String problem) {
        return new InvalidLockedMethodException(method, problem, null);
    }

    /** The names for a call, without duplicates. */
    Set<String> names(@Nullable Object[] arguments) {
        if (names.size() == 1) {
            return Set.of(names.get(0).of(arguments));
        }
        Set<String> all = new LinkedHashSet<>();
        for (LockName name : names) {
            all.add(name.of(arguments));
        }
        return all;
    }

    /** The types whose properties and methods the expressions in the names use. */
    Stream<Class<?>> asked() {
        return names.stream().flatMap(name -> name.asked().stream());
    }

    /** Whether the method holds a {@link MultiLockHandle}, even if that has only one name in a call. */
    boolean several() {
        return names.size() > 1;
    }

    Locked.Mode mode() {
        return mode;
    }

    int permits() {
        return permits;
    }

    /** How long to wait at most; null to wait without a limit. */
    @Nullable
    Duration waitFor() {
        return waitFor;
    }

    boolean skip() {
        return skip;
    }

    @Nullable
    Duration maxHold() {
        return maxHold;
    }

    InTransaction inTransaction() {
        return inTransaction;
    }

    /** Whether the method's own transaction attribute takes it out of a transaction that was active before. */
    boolean leavesTransaction() {
        return leavesTransaction;
    }

    Result result() {
        return result;
    }

    /** Returns true only at the first call; for a warning that is to be logged only once. */
    boolean firstWarning() {
        return warned.compareAndSet(false, true);
    }

    /** Whether the method has a parameter for its hold or its token. */
    boolean wantsHeld() {
        return !filled.isEmpty();
    }

    /** The arguments, some of them replaced by the hold or its token. */
    @Nullable
    Object[] fill(@Nullable Object[] arguments, BorrowedLock held) {
        @Nullable Object[] complete = arguments.clone();
        filled.forEach((position, what) ->
                complete[position] = what == Filled.HANDLE ? held : (Object) ((LockHandle) held).fencingToken());
        return complete;
    }

    /** The options of the locks: the client's, with the method as the reason if they have none. */
    LockOptions options(LockOptions defaults) {
        LockOptions made = options;
        if (made == null) {
            made = defaults.reason().isEmpty()
                    ? defaults.toBuilder().reason(MethodNames.brief(method)).build()
                    : defaults;
            options = made;
        }
        return made;
    }

    @Override
    public String toString() {
        return MethodNames.full(method);
    }
}
