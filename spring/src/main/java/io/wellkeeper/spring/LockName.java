package io.wellkeeper.spring;

import io.wellkeeper.spi.LockNames;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.common.LiteralExpression;
import org.springframework.expression.spel.standard.SpelExpression;

/** One name of a {@link Locked} method: text and expressions that give the lock's name for the arguments of a call. */
final class LockName {

    private static final String PARAMETERS =
            " (If the argument has a value: parameters have names only in classes that were"
                    + " compiled with -parameters.)";

    private final Method method;
    private final String template;
    private final Expression[] parts;
    private final Map<String, Integer> positions;
    private final NameExpressions expressions;
    private final Set<Class<?>> asked;

    /**
     * Parses a name, and checks what can be checked before there is a call.
     *
     * @param template the name as in the annotation
     * @param positions of the parameters that expressions may use
     * @throws InvalidLockedMethodException if the template cannot give a name
     */
    LockName(
            Method method,
            Class<?> targetClass,
            String template,
            Map<String, Integer> positions,
            NameExpressions expressions) {
        this.method = method;
        this.template = template;
        this.positions = positions;
        this.expressions = expressions;
        try {
            String resolved = expressions.resolve(template);
            if (resolved.isBlank()) {
                throw new IllegalArgumentException("its name is blank");
            }
            Expression parsed = expressions.parse(resolved);
            parts = parsed instanceof CompositeStringExpression several
                    ? several.getExpressions()
                    : new Expression[] {parsed};
        } catch (IllegalArgumentException | ParseException wrong) {
            throw new InvalidLockedMethodException(
                    method, "the name \"" + template + "\": " + wrong.getMessage(), wrong);
        }
        NameChecks checks = new NameChecks(method, targetClass, template, positions, expressions);
        for (Expression part : parts) {
            if (part instanceof SpelExpression expression) {
                checks.check(expression);
            }
        }
        this.asked = Set.copyOf(checks.asked());
        if (parts.length == 1 && parts[0] instanceof LiteralExpression plain) {
            try {
                LockNames.checkChosen(plain.getExpressionString());
            } catch (IllegalArgumentException wrong) {
                throw new InvalidLockedMethodException(method, "the name: " + wrong.getMessage(), wrong);
            }
        }
    }

    /** The types whose properties and methods the expressions use. */
    Set<Class<?>> asked() {
        return asked;
    }

    /**
     * The name for a call.
     *
     * @throws IllegalArgumentException if a part of it has no text
     */
    String of(@Nullable Object[] arguments) {
        if (parts.length == 1 && parts[0] instanceof LiteralExpression plain) {
            return plain.getExpressionString();
        }
        CallArguments context = new CallArguments(expressions.common(), positions, arguments);
        StringBuilder name = new StringBuilder();
        for (Expression part : parts) {
            name.append(part instanceof LiteralExpression ? part.getExpressionString() : text(part, context));
        }
        return name.toString();
    }

    private String text(Expression part, CallArguments context) {
        Object value;
        try {
            value = part.getValue(context);
        } catch (EvaluationException failed) {
            throw new IllegalArgumentException(problem(part, "cannot be evaluated: " + failed.getMessage()), failed);
        }
        if (value instanceof Optional<?> optional) {
            value = optional.orElse(null);
        }
        if (value == null) {
            throw new IllegalArgumentException(problem(part, "is null."));
        }
        boolean container = isContainer(value.getClass());
        String text = container ? "" : value.toString();
        if (container || isOfEveryObject(text, value)) {
            throw new IllegalArgumentException(problem(
                    part,
                    "is of type " + value.getClass().getTypeName() + ", which has no text that could be in a name."));
        }
        if (text.isBlank()) {
            throw new IllegalArgumentException(problem(part, "is blank."));
        }
        return text;
    }

    /** Whether values of a type contain several values; a name cannot be made of them. */
    static boolean isContainer(Class<?> type) {
        return type.isArray() || Collection.class.isAssignableFrom(type) || Map.class.isAssignableFrom(type);
    }

    /**
     * Whether a text is that of {@link Object#toString()}. The texts are compared, because a native image may not know
     * the methods of the value's class.
     */
    private static boolean isOfEveryObject(String text, Object value) {
        String type = value.getClass().getName();
        return text.startsWith(type) && text.equals(type + '@' + Integer.toHexString(value.hashCode()));
    }

    private String problem(Expression part, String problem) {
        return "the name \"" + template + "\" of @Locked on " + MethodNames.full(method) + ": #{"
                + part.getExpressionString() + "} " + problem + PARAMETERS;
    }
}
