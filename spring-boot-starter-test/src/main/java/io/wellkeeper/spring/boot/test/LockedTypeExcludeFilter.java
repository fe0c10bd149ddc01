package io.wellkeeper.spring.boot.test;

import org.springframework.boot.test.context.filter.annotation.StandardAnnotationCustomizableTypeExcludeFilter;

/** Leaves out every component of the application. */
final class LockedTypeExcludeFilter extends StandardAnnotationCustomizableTypeExcludeFilter<LockedTest> {

    /**
     * @param testClass the test that is annotated
     */
    LockedTypeExcludeFilter(Class<?> testClass) {
        super(testClass);
    }
}
