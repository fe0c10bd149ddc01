package io.wellkeeper.spring.boot.test.shop;

import org.springframework.stereotype.Component;

/** A component that no test of locks wants. */
@Component
class Newsletter {}
