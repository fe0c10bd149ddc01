package io.wellkeeper.spring;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.aot.hint.annotation.ReflectiveProcessor;
import org.springframework.beans.BeanUtils;

/**
 * Tells what a native image must keep for a guarded method: the method, and the members of its parameters for
 * expressions.
 */
final class LockedReflectiveProcessor implements ReflectiveProcessor {

    @Override
    public void registerReflectionHints(ReflectionHints hints, AnnotatedElement element) {
        if (element instanceof Method method) {
            hints.registerMethod(method, ExecutableMode.INVOKE);
            for (Class<?> type : method.getParameterTypes()) {
                if (!BeanUtils.isSimpleProperty(type) && !Result.isContinuation(type)) {
                    hints.registerType(type, MemberCategory.INVOKE_PUBLIC_METHODS, MemberCategory.ACCESS_PUBLIC_FIELDS);
                }
            }
        }
    }
}
