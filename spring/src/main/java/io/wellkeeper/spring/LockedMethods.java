package io.wellkeeper.spring;

import java.lang.reflect.Method;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.core.MethodClassKey;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;

/** The guarded methods of an application context, found and checked when beans are made: the pointcut of their advisor. */
final class LockedMethods extends StaticMethodMatcherPointcut {

    private final LockedSettings settings;
    private final NameExpressions expressions;
    private final Map<MethodClassKey, Optional<LockedMethod>> found = new ConcurrentHashMap<>();
    private final Map<Class<?>, Boolean> classes = new ConcurrentHashMap<>();

    LockedMethods(LockedSettings settings, NameExpressions expressions) {
        this.settings = settings;
        this.expressions = expressions;
        setClassFilter(this::has);
    }

    /**
     * Whether a class has guarded methods.
     *
     * @throws InvalidLockedMethodException if one of them cannot be guarded
     */
    boolean has(Class<?> type) {
        if (!AnnotationUtils.isCandidateClass(type, Locked.class)) {
            return false;
        }
        Boolean known = classes.get(type);
        if (known == null) {
            known = !MethodIntrospector.selectMethods(type, (Method method) -> find(method, type))
                    .isEmpty();
            classes.put(type, known);
        }
        return known;
    }

    @Override
    public boolean matches(Method method, Class<?> targetClass) {
        return find(method, targetClass) != null;
    }

    /** The guarded method of a call; null if the called method is not guarded. */
    @Nullable
    LockedMethod find(MethodInvocation invocation) {
        Object target = invocation.getThis();
        Method method = invocation.getMethod();
        return find(method, target == null ? method.getDeclaringClass() : AopUtils.getTargetClass(target));
    }

    /** All guarded methods that have been found. */
    Collection<LockedMethod> all() {
        return found.values().stream().flatMap(Optional::stream).toList();
    }

    private @Nullable LockedMethod find(Method method, Class<?> targetClass) {
        MethodClassKey key = new MethodClassKey(method, targetClass);
        Optional<LockedMethod> known = found.get(key);
        if (known == null) {
            known = look(method, targetClass);
            found.put(key, known);
        }
        return known.orElse(null);
    }

    private Optional<LockedMethod> look(Method method, Class<?> targetClass) {
        Method specific = AopUtils.getMostSpecificMethod(method, targetClass);
        if (!specific.equals(method)) {
            return Optional.ofNullable(find(specific, targetClass)); // one object for all ways to call the method
        }
        if (method.isSynthetic()) { // Kotlin puts the body of a suspending method into one, with its annotations
            return Optional.empty();
        }
        Locked locked = AnnotatedElementUtils.findMergedAnnotation(method, Locked.class);
        return Optional.ofNullable(locked)
                .map(one -> new LockedMethod(method, targetClass, one, settings, expressions));
    }
}
