package io.wellkeeper.testkit;

import java.util.List;

/** Valid lock names that a careless store confuses, cuts off, or takes for something else. */
final class HostileNames {

    /** All different. */
    static final List<String> ALL = List.of(
            "a",
            "A",
            "a ",
            " a",
            " ",
            "a/b",
            "a/",
            "/a",
            "/",
            "//",
            "a//b",
            "a%2Fb",
            "a%2fb",
            "%",
            ".",
            "..",
            "../a",
            "./a",
            "a.b",
            "a_b",
            "a-b",
            "a:b",
            "a+b",
            "a\\b",
            "{a}",
            "{a}b",
            "*?[a]",
            "'; drop table tickets --",
            "\"",
            "${jndi:ldap://x}",
            "a\tb",
            "a\r\nb",
            "a\u001bb",
            "a\u007fb",
            "a\u200bb",
            "a\u202eb",
            "\u00e9",
            "e\u0301",
            "\ufeffa",
            "\uffff",
            "\ue000",
            "\ud83d\udd12",
            "z\u00e1mek-\u9501",
            "x".repeat(512),
            "x".repeat(511) + "y",
            "\u9501".repeat(170));

    private HostileNames() {}
}
