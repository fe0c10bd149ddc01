package io.wellkeeper.spring;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Assign;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;

/**
 * Finds what is wrong with an expression before there is a call: parameters, properties, methods, beans and types that do
 * not exist, and results without a text. Types are followed from the parameters on, for as long as the declarations say them.
 */
final class NameChecks {

    private final Method method;
    private final Class<?> targetClass;
    private final String template;
    private final Map<String, Integer> positions;
    private final NameExpressions expressions;

    NameChecks(
            Method method,
            Class<?> targetClass,
            String template,
            Map<String, Integer> positions,
            NameExpressions expressions) {
        this.method = method;
        this.targetClass = targetClass;
        this.template = template;
        this.positions = positions;
        this.expressions = expressions;
    }

    void check(SpelExpression expression) {
        SpelNode whole = expression.getAST();
        ResolvableType type = check(whole, false);
        Class<?> raw = type == null ? null : type.resolve();
        if (raw != null && hasNoText(raw)) {
            throw wrong("#{" + expression.getExpressionString() + "} is of type " + type
                    + ", which has no text that could be in a name");
        }
    }

    /** Whether no value of a type has a text, whatever the classes below it do. */
    private static boolean hasNoText(Class<?> type) {
        boolean decided = type.isArray()
                || Modifier.isFinal(type.getModifiers())
                || Collection.class.isAssignableFrom(type)
                || Map.class.isAssignableFrom(type);
        return type == void.class || decided && !LockName.hasText(type);
    }

    /**
     * Checks a node and what is below it.
     *
     * @param ofElement whether it is evaluated for each element of something, and not for the call
     * @return its type, if the declarations say it
     */
    private @Nullable ResolvableType check(SpelNode node, boolean ofElement) {
        if (node instanceof CompoundExpression) {
            return checkChain(node, ofElement);
        }
        if (node instanceof Assign) {
            throw wrong("an expression changes nothing");
        }
        if (!ofElement && (node instanceof PropertyOrFieldReference || node instanceof MethodReference)) {
            String text = node.toStringAST();
            throw wrong("\"" + text + "\" is not the property or method of anything; a parameter is written #" + text
                    + ", and a bean @" + text);
        }
        if (node instanceof BeanReference) {
            checkBean(node.toStringAST());
        }
        if (node instanceof TypeReference) {
            checkType(node.getChild(0).toStringAST());
            return null;
        }
        for (int child = 0; child < node.getChildCount(); child++) {
            check(node.getChild(child), ofElement || node instanceof Projection || node instanceof Selection);
        }
        return node instanceof VariableReference
                ? checkVariable(node.toStringAST().substring(1), ofElement)
                : null;
    }

    private @Nullable ResolvableType checkChain(SpelNode chain, boolean ofElement) {
        ResolvableType type = check(chain.getChild(0), ofElement);
        for (int link = 1; link < chain.getChildCount(); link++) {
            SpelNode node = chain.getChild(link);
            boolean elements = node instanceof Projection || node instanceof Selection;
            for (int child = 0; child < node.getChildCount(); child++) {
                check(node.getChild(child), ofElement || elements);
            }
            type = type == null || isOpen(type) ? null : typeOf(node, type);
        }
        return type;
    }

    /** Whether the declarations do not say what something of a type has. */
    private static boolean isOpen(ResolvableType type) {
        Class<?> raw = type.resolve();
        return raw == null || raw == Object.class || Map.class.isAssignableFrom(raw) || raw.isArray();
    }

    private @Nullable ResolvableType checkVariable(String name, boolean ofElement) {
        if (ofElement && (name.equals("this") || name.equals("root"))) {
            return null;
        }
        Integer position = positions.get(name);
        if (position == null) {
            throw wrong("there is no parameter #" + name
                    + " (parameters have names only in classes that were compiled with -parameters)");
        }
        return ResolvableType.forMethodParameter(
                new MethodParameter(method, position).withContainingClass(targetClass));
    }

    private void checkBean(String reference) {
        String name = StringUtils.delete(reference, "'");
        name = name.startsWith("@") ? name.substring(1) : name;
        if (!expressions.hasBean(name)) {
            throw wrong("there is no bean " + name);
        }
    }

    private void checkType(String name) {
        if (name.indexOf('.') >= 0) {
            try {
                expressions.common().getTypeLocator().findType(name);
            } catch (EvaluationException unknown) {
                throw wrong("there is no type " + name);
            }
        }
    }

    private @Nullable ResolvableType typeOf(SpelNode node, ResolvableType owner) {
        if (node instanceof PropertyOrFieldReference property) {
            return typeOfProperty(property.getName(), owner);
        }
        if (node instanceof MethodReference call) {
            return typeOfCall(call, owner);
        }
        return null;
    }

    private ResolvableType typeOfProperty(String name, ResolvableType owner) {
        Class<?> raw = owner.resolve(Object.class);
        String capitalized = StringUtils.capitalize(name);
        for (String accessor : List.of("get" + capitalized, "is" + capitalized, name)) {
            for (Method found : methods(raw, accessor)) {
                if (found.getParameterCount() == 0 && found.getReturnType() != void.class) {
                    return ResolvableType.forMethodReturnType(found, raw);
                }
            }
        }
        Field field = ReflectionUtils.findField(raw, name);
        if (field != null && Modifier.isPublic(field.getModifiers())) {
            return ResolvableType.forField(field, owner);
        }
        throw wrong(raw.getTypeName() + " has no property " + name);
    }

    private @Nullable ResolvableType typeOfCall(MethodReference call, ResolvableType owner) {
        Class<?> raw = owner.resolve(Object.class);
        List<Method> candidates = methods(raw, call.getName());
        if (candidates.isEmpty() && !raw.isInterface()) {
            throw wrong(raw.getTypeName() + " has no method " + call.getName());
        }
        return candidates.size() == 1 ? ResolvableType.forMethodReturnType(candidates.get(0), raw) : null;
    }

    private static List<Method> methods(Class<?> type, String name) {
        return Arrays.stream(type.getMethods())
                .filter(method -> method.getName().equals(name))
                .toList();
    }

    private InvalidLockedMethodException wrong(String problem) {
        return new InvalidLockedMethodException(method, "the name \"" + template + "\": " + problem, null);
    }
}
