package io.wellkeeper.spring;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.ConstructorResolver;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.IndexAccessor;
import org.springframework.expression.MethodResolver;
import org.springframework.expression.OperatorOverloader;
import org.springframework.expression.PropertyAccessor;
import org.springframework.expression.TypeComparator;
import org.springframework.expression.TypeConverter;
import org.springframework.expression.TypeLocator;
import org.springframework.expression.TypedValue;

/**
 * The evaluation context for the expressions of one call: its arguments, as variables that cannot be changed, and the
 * common context of all calls.
 *
 * @param common the context that is the same for all calls
 * @param positions the positions of the arguments, by their names in expressions
 */
record CallArguments(
        EvaluationContext common,
        Map<String, Integer> positions,
        @Nullable Object[] arguments) implements EvaluationContext {

    @Override
    public @Nullable Object lookupVariable(String name) {
        Integer position = positions.get(name);
        return position == null ? null : arguments[position];
    }

    @Override
    public void setVariable(String name, @Nullable Object value) {
        throw new UnsupportedOperationException("the name of a lock does not change #" + name);
    }

    @Override
    public boolean isAssignmentEnabled() {
        return false;
    }

    @Override
    public TypedValue getRootObject() {
        return TypedValue.NULL;
    }

    @Override
    public List<PropertyAccessor> getPropertyAccessors() {
        return common.getPropertyAccessors();
    }

    @Override
    public List<IndexAccessor> getIndexAccessors() {
        return common.getIndexAccessors();
    }

    @Override
    public List<ConstructorResolver> getConstructorResolvers() {
        return common.getConstructorResolvers();
    }

    @Override
    public List<MethodResolver> getMethodResolvers() {
        return common.getMethodResolvers();
    }

    @Override
    public @Nullable BeanResolver getBeanResolver() {
        return common.getBeanResolver();
    }

    @Override
    public TypeLocator getTypeLocator() {
        return common.getTypeLocator();
    }

    @Override
    public TypeConverter getTypeConverter() {
        return common.getTypeConverter();
    }

    @Override
    public TypeComparator getTypeComparator() {
        return common.getTypeComparator();
    }

    @Override
    public OperatorOverloader getOperatorOverloader() {
        return common.getOperatorOverloader();
    }
}
