package io.wellkeeper.storekit;

import java.util.List;

/** Valid lock names that a careless store would confuse, cut off, or take for something else. */
final class HostileNames {

    /** Names that are all different. */
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
            "' or '1'='1",
            "%s",
            "]] redis.call('flushall') --",
            "a  ",
            "a\u00a0",
            "a\u3000",
            "a\u00ad",
            "\uff41",
            "i",
            "I",
            "\u0130",
            "\u0131",
            "ss",
            "\u00df",
            "\u212b",
            "\u00c5",
            "A\u030a",
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

    /**
     * Names with braces but without a hash tag of Redis. A primitive that needs several keys may not be possible with
     * such a name on a Cluster.
     */
    static final List<String> UNTAGGED = List.of("{}", "{}a", "a}");

    private HostileNames() {}
}
