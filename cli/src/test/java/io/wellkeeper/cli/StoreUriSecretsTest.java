package io.wellkeeper.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.spi.LeaseStore;
import io.wellkeeper.spi.LeaseStoreProvider;
import io.wellkeeper.spi.StoreProvider;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.spi.TicketStore;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A URI with any one mistake in it betrays no part of its password: neither in what refuses it, nor as an address. */
@Tag("full")
class StoreUriSecretsTest {

    private static final String SECRET = "zqjxkvwy";
    private static final int TELLING = 4; // so many of its letters in a row
    private static final String MARKS = ":/@?&=#,;[]%() ";

    static Stream<String> everyScheme() {
        List<String> uris = new ArrayList<>();
        for (String scheme : schemes()) {
            if (scheme.startsWith("jdbc")) {
                uris.add(scheme + ":postgresql://h1:5432,h2/shop?user=me&password=" + SECRET + "&sslmode=require");
                uris.add(scheme + ":mariadb://h/shop?password=" + SECRET + "&user=me");
                uris.add(scheme + ":mysql://address=(host=h)(port=3306)/shop?user=me&password=" + SECRET);
            } else {
                uris.add(scheme + "://me:" + SECRET + "@h1:7001,h2:7002,h3/name?sessionTimeout=4s");
                uris.add(scheme + "://:" + SECRET + "@h");
                uris.add(scheme + "://h/name?sessionTimeout=4s&sentinelUser=me&sentinelPassword=" + SECRET);
            }
        }
        return uris.stream();
    }

    @ParameterizedTest
    @MethodSource("everyScheme")
    void open_anyOneMistake_noMessageAndNoAddressHasAPartOfTheSecret(String uri) {
        for (String mistaken : withOneMistake(uri)) {
            assertThat(said(mistaken)).as(mistaken).noneMatch(StoreUriSecretsTest::betrays);
        }
    }

    /** Each character left out, each mark put in at each place, and each mark in the place of each other mark. */
    private static Set<String> withOneMistake(String uri) {
        Set<String> mistaken = new HashSet<>(Set.of(uri));
        for (int at = 0; at <= uri.length(); at++) {
            String before = uri.substring(0, at);
            for (char mark : MARKS.toCharArray()) {
                mistaken.add(before + mark + uri.substring(at));
                if (at < uri.length() && MARKS.indexOf(uri.charAt(at)) >= 0) {
                    mistaken.add(before + mark + uri.substring(at + 1));
                }
            }
            if (at < uri.length()) {
                mistaken.add(before + uri.substring(at + 1));
            }
        }
        return mistaken;
    }

    /** All that is told of a URI: as text, as an address, and by what refuses it. */
    private static List<String> said(String uri) {
        List<String> told = new ArrayList<>();
        try {
            StoreUri parsed = StoreUri.parse(uri);
            told.add(parsed.toString());
            StoreUri rest = parsed.without(Set.of("sessionTimeout"));
            for (StoreProvider provider : ServiceLoader.load(StoreProvider.class)) {
                if (provider.schemes().contains(parsed.scheme())) {
                    try (TicketStore store = provider.create(rest)) {
                        told.add(store.address());
                        told.add(store.toString());
                    }
                }
            }
            for (LeaseStoreProvider provider : ServiceLoader.load(LeaseStoreProvider.class)) {
                if (provider.schemes().contains(parsed.scheme())) {
                    try (LeaseStore store = provider.create(rest)) {
                        told.add(store.address());
                        told.add(store.toString());
                    }
                }
            }
            parsed.duration("sessionTimeout");
        } catch (IllegalArgumentException refused) {
            for (Throwable cause = refused; cause != null; cause = cause.getCause()) {
                told.add(String.valueOf(cause.getMessage()));
            }
        }
        return told;
    }

    private static boolean betrays(String told) {
        for (int from = 0; from + TELLING <= SECRET.length(); from++) {
            if (told.contains(SECRET.substring(from, from + TELLING))) {
                return true;
            }
        }
        return false;
    }

    private static Set<String> schemes() {
        Set<String> all = new HashSet<>();
        ServiceLoader.load(StoreProvider.class).forEach(provider -> all.addAll(provider.schemes()));
        ServiceLoader.load(LeaseStoreProvider.class).forEach(provider -> all.addAll(provider.schemes()));
        assertThat(all).contains("redis", "zookeeper", "jdbc", "redlock");
        return all;
    }
}
