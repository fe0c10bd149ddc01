package io.wellkeeper.spring;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Assign;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.ConstructorReference;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpDec;
import org.springframework.expression.spel.ast.OpInc;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.TypeCode;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;

/**
 * Finds what is wrong with an expression before there is a call: parameters, properties, methods, beans and types that do
 * not exist, and results without a text. It follows the types from parameters and beans on, as far as the declarations
 * say them. Of a bean that is declared as an interface or an abstract class, nothing is known.
 */
final class NameChecks {

    private final Method method;
    private final Class<?> targetClass;
    private final String template;
    private final Map<String, Integer> positions;
    private final NameExpressions expressions;
    private final Set<Class<?>> asked = new LinkedHashSet<>();

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

    /** The types whose properties and methods the expressions use, as far as the declarations say them. */
    Set<Class<?>> asked() {
        return asked;
    }

    /** Whether no value of a type has a text, not even those of its subclasses. */
    private static boolean hasNoText(Class<?> type) {
        return type == void.class
                || LockName.isContainer(type)
                || Modifier.isFinal(type.getModifiers()) && !type.isPrimitive() && hasTextOfEveryObject(type);
    }

    private static boolean hasTextOfEveryObject(Class<?> type) {
        try {
            return type.getMethod("toString").getDeclaringClass() == Object.class;
        } catch (NoSuchMethodException unknown) {
            return false; // a native image knows only some methods; then the text is checked at the call
        }
    }

    /**
     * Checks a node and the nodes below it.
     *
     * @param ofElement whether the node is evaluated for each element of a value, and not for the call
     * @return the type of the node, if the declarations say it
     */
    private @Nullable ResolvableType check(SpelNode node, boolean ofElement) {
        if (node instanceof CompoundExpression) {
            return checkChain(node, ofElement);
        }
        if (node instanceof Assign || node instanceof OpInc || node instanceof OpDec) {
            throw wrong("an expression changes nothing");
        }
        if (node instanceof FunctionReference) {
            throw wrong("there is no function " + node.toStringAST());
        }
        if (!ofElement && (node instanceof PropertyOrFieldReference || node instanceof MethodReference)) {
            String text = node.toStringAST();
            throw wrong("\"" + text + "\" is not the property or method of anything; a parameter is written #" + text
                    + ", and a bean @" + text);
        }
        if (node instanceof TypeReference) {
            findType(node.getChild(0).toStringAST());
            return null;
        }
        for (int child = 0; child < node.getChildCount(); child++) {
            check(node.getChild(child), ofElement || node instanceof Projection || node instanceof Selection);
        }
        return typeOfStart(node, ofElement);
    }

    private @Nullable ResolvableType typeOfStart(SpelNode node, boolean ofElement) {
        if (node instanceof VariableReference) {
            return typeOfVariable(node.toStringAST().substring(1), ofElement);
        }
        if (node instanceof BeanReference) {
            return typeOfBean(node.toStringAST());
        }
        if (node instanceof ConstructorReference made) {
            return typeOfNew(made);
        }
        if (node instanceof InlineList) {
            return ResolvableType.forClass(List.class);
        }
        return node instanceof InlineMap ? ResolvableType.forClass(Map.class) : null;
    }

    private @Nullable ResolvableType checkChain(SpelNode chain, boolean ofElement) {
        SpelNode start = chain.getChild(0);
        ResolvableType type = check(start, ofElement);
        for (int link = 1; link < chain.getChildCount(); link++) {
            SpelNode node = chain.getChild(link);
            boolean elements = node instanceof Projection || node instanceof Selection;
            for (int child = 0; child < node.getChildCount(); child++) {
                check(node.getChild(child), ofElement || elements);
            }
            if (link == 1 && start instanceof TypeReference) {
                type = typeOfStatic(node, start);
            } else {
                type = type == null || isOpen(type) ? null : typeOf(node, type);
            }
        }
        return type;
    }

    /** Whether the declaration of a type does not tell all members that its values have. */
    private static boolean isOpen(ResolvableType type) {
        Class<?> raw = type.resolve();
        return raw == null || raw == Object.class || Map.class.isAssignableFrom(raw) || raw.isArray();
    }

    private @Nullable ResolvableType typeOfVariable(String name, boolean ofElement) {
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

    private @Nullable ResolvableType typeOfBean(String reference) {
        String name = StringUtils.delete(reference, "'");
        name = name.startsWith("@") ? name.substring(1) : name;
        if (!expressions.hasBean(name)) {
            throw wrong("there is no bean " + name);
        }
        Class<?> type = expressions.typeOfBean(name);
        return type == null || Modifier.isAbstract(type.getModifiers()) ? null : ResolvableType.forClass(type);
    }

    private @Nullable ResolvableType typeOfNew(ConstructorReference made) {
        if (made.toStringAST().indexOf('[') >= 0) {
            return null; // an array
        }
        return ResolvableType.forClass(findType(made.getChild(0).toStringAST()));
    }

    private Class<?> findType(String name) {
        TypeCode primitive = TypeCode.forName(name);
        if (primitive != TypeCode.OBJECT) {
            return primitive.getType();
        }
        try {
            return expressions.common().getTypeLocator().findType(name);
        } catch (EvaluationException unknown) {
            throw wrong("there is no type " + name);
        }
    }

    /** The type of a member of a type itself: a static member, or one of its {@link Class}. */
    private @Nullable ResolvableType typeOfStatic(SpelNode node, SpelNode reference) {
        Class<?> type = findType(reference.getChild(0).toStringAST());
        if (!(node instanceof MethodReference call) || reference.toStringAST().indexOf('[') >= 0) {
            return null;
        }
        List<Method> candidates = Stream.concat(
                        methods(type, call.getName()).stream().filter(found -> Modifier.isStatic(found.getModifiers())),
                        methods(Class.class, call.getName()).stream())
                .toList();
        return typeOfCall(call, candidates, type);
    }

    private @Nullable ResolvableType typeOf(SpelNode node, ResolvableType owner) {
        if (node instanceof PropertyOrFieldReference property) {
            ResolvableType asked = property.isNullSafe() ? content(owner) : owner;
            return isOpen(asked) ? null : typeOfProperty(property.getName(), asked);
        }
        if (node instanceof MethodReference call) {
            ResolvableType asked = call.isNullSafe() ? content(owner) : owner;
            if (isOpen(asked)) {
                return null;
            }
            boolean ofContent =
                    asked != owner && !methods(raw(asked), call.getName()).isEmpty();
            return typeOfCall(call, ofContent ? asked : owner);
        }
        return null;
    }

    /** The type whose members {@code ?.} uses: for an {@code Optional}, the type of its content. */
    private static ResolvableType content(ResolvableType owner) {
        return owner.resolve() == Optional.class ? owner.getGeneric(0) : owner;
    }

    private static Class<?> raw(ResolvableType type) {
        return ClassUtils.resolvePrimitiveIfNecessary(type.resolve(Object.class));
    }

    private ResolvableType typeOfProperty(String name, ResolvableType owner) {
        Class<?> raw = raw(owner);
        asked.add(raw);
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
        Class<?> raw = raw(owner);
        List<Method> candidates = methods(raw, call.getName());
        return candidates.isEmpty() && raw.isInterface() ? null : typeOfCall(call, candidates, raw);
    }

    private @Nullable ResolvableType typeOfCall(MethodReference call, List<Method> candidates, Class<?> owner) {
        asked.add(owner);
        if (candidates.isEmpty()) {
            throw wrong(owner.getTypeName() + " has no method " + call.getName());
        }
        int arguments = call.getChildCount();
        List<Method> fitting = candidates.stream()
                .filter(found -> found.isVarArgs()
                        ? arguments >= found.getParameterCount() - 1
                        : arguments == found.getParameterCount())
                .toList();
        if (fitting.isEmpty()) {
            throw wrong(owner.getTypeName() + " has no method " + call.getName() + " with " + arguments + " arguments");
        }
        return fitting.size() == 1 ? ResolvableType.forMethodReturnType(fitting.get(0), owner) : null;
    }

    /** The public methods with a name, also those of {@link Object}, which interfaces do not list. */
    private static List<Method> methods(Class<?> type, String name) {
        Stream<Method> all = Arrays.stream(type.getMethods());
        if (type.isInterface()) {
            all = Stream.concat(all, Arrays.stream(Object.class.getMethods()));
        }
        return all.filter(method -> method.getName().equals(name)).toList();
    }

    private InvalidLockedMethodException wrong(String problem) {
        return new InvalidLockedMethodException(method, "the name \"" + template + "\": " + problem, null);
    }
}
