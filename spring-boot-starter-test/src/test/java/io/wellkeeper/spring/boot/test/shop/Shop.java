package io.wellkeeper.spring.boot.test.shop;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** An application that is to keep its locks where there is nothing. */
@SpringBootApplication
class Shop {}
