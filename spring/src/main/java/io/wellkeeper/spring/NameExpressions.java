package io.wellkeeper.spring;

import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.NativeDetector;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.core.env.PropertyResolver;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.Expression;
import org.springframework.expression.ParserContext;
import org.springframework.expression.spel.SpelCompilerMode;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.expression.spel.support.StandardTypeLocator;

/** Makes the lock names of an application context, with its properties and beans, and Spring's expression language. */
final class NameExpressions {

    private final ConfigurableBeanFactory beans;
    private final PropertyResolver properties;
    private final SpelExpressionParser parser;
    private final StandardEvaluationContext common = new StandardEvaluationContext();
    private final ParameterNameDiscoverer parameterNames = new DefaultParameterNameDiscoverer();

    NameExpressions(ConfigurableBeanFactory beans, PropertyResolver properties) {
        this.beans = beans;
        this.properties = properties;
        ClassLoader loader = beans.getBeanClassLoader();
        // Frequently evaluated expressions are compiled, where that is possible.
        SpelCompilerMode mode = NativeDetector.inNativeImage() ? SpelCompilerMode.OFF : SpelCompilerMode.MIXED;
        this.parser = new SpelExpressionParser(new SpelParserConfiguration(mode, loader));
        common.setBeanResolver(new BeanFactoryResolver(beans));
        common.setTypeLocator(new StandardTypeLocator(loader));
    }

    /** The text with each {@code ${..}} replaced by its property. */
    String resolve(String text) {
        String resolved = beans.resolveEmbeddedValue(text);
        // The bean factory leaves unknown properties as they are, and before the context is complete it knows none.
        return properties.resolveRequiredPlaceholders(resolved == null ? "" : resolved);
    }

    Expression parse(String template) {
        return parser.parseExpression(template, ParserContext.TEMPLATE_EXPRESSION);
    }

    EvaluationContext common() {
        return common;
    }

    boolean hasBean(String name) {
        return beans.containsBean(name);
    }

    /** The type of a bean, as far as it is known before the bean is made. */
    @Nullable
    Class<?> typeOfBean(String name) {
        return beans.getType(name, false);
    }

    /** The positions of a method's parameters, by all their names in expressions. */
    Map<String, Integer> positions(Method method) {
        @Nullable String @Nullable [] names = parameterNames.getParameterNames(method);
        Map<String, Integer> positions = new HashMap<>();
        for (int position = 0; position < method.getParameterCount(); position++) {
            positions.put("p" + position, position);
            positions.put("a" + position, position);
        }
        for (int position = 0; names != null && position < names.length; position++) {
            String name = names[position];
            if (name != null) {
                positions.put(name, position);
            }
        }
        return positions;
    }
}
