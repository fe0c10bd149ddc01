package io.wellkeeper.spring.boot.test;

import org.springframework.boot.test.context.filter.annotation.StandardAnnotationCustomizableTypeExcludeFilter;

/** Leaves out all components of the application. */
final class LockedTypeExcludeFilter extends StandardAnnotationCustomizableTypeExcludeFilter<LockedTest> {

    /**
     * @param testClass the annotated test
     */
    LockedTypeExcludeFilter(Class<?> testClass) {
        super(testClass);
    }
}
