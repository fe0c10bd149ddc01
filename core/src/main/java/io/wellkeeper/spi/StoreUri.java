package io.wellkeeper.spi;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The address of a store: {@code scheme://user:password@host1:port,host2:port/path?parameter=value}. As
 * {@link java.net.URI}, but with many hosts and decoded parameters, and it never prints a secret.
 */
public final class StoreUri {

    private static final Pattern DURATION = Pattern.compile("(\\d{1,12})(ms|s|m|h)");
    private static final int GREATEST_PORT = 65_535;
    private static final Pattern PORT = Pattern.compile(":(\\d{1,5})(?=[,/)]|$)");
    private static final Pattern HOST = Pattern.compile("([\\w.-]+|\\[[\\w:.%-]+])(:\\d{1,5})?");

    private static final Pattern IP_V6 = Pattern.compile("\\[[\\w:.%-]+]");
    private static final Pattern HOSTS = Pattern.compile("^[\\w+.-]+://([^@/?#]*@)?([^/?#]*)");

    private static final String JDBC = "jdbc";
    private static final String DATABASE_HOST = "(\\[[\\w:.%-]+]|[^\\[:/,&=;]*)(:\\d{1,5})?";
    private static final Pattern DATABASE = // kind, mode of the driver, then hosts and a database, or only that
            Pattern.compile(
                    "[\\w+-]+(:[a-z-]+(?=://))?:(//" + DATABASE_HOST + "(," + DATABASE_HOST + ")*)?(/?[^/:&=;]*)");
    private static final String SQLITE = "sqlite:"; // in whose names of files there may be anything
    private static final String SECRETS = "user and password stand before the only '@' and the hosts, and every"
            + " '@', ':', '/', '?' and '#' in them is percent-encoded";
    private static final String FORM = "scheme://host:port,host:port/path?parameter=value";

    private final String start;
    private final Optional<String> userInfo;
    private final String hosts;
    private final String path;
    private final Map<String, String> parameters;

    private StoreUri(
            String start, Optional<String> userInfo, String hosts, String path, Map<String, String> parameters) {
        this.start = start;
        this.userInfo = userInfo;
        this.hosts = hosts;
        this.path = path;
        this.parameters = Collections.unmodifiableMap(parameters);
    }

    /**
     * Reads a URI.
     *
     * @param uri the text
     * @return its parts
     * @throws IllegalArgumentException if it is not a URI with a scheme, or has an {@code @}, {@code =} or {@code &}
     *     where none belongs; the message repeats nothing of it, because any part of a URI with a mistake may be a secret
     */
    public static StoreUri parse(String uri) {
        String text = uri.trim();
        Matcher named = HOSTS.matcher(text);
        boolean hasHosts = named.find();
        URI parsed;
        try {
            parsed = new URI(hasHosts ? withoutIpV6(text, named.start(2), named.end(2)) : text);
        } catch (URISyntaxException wrong) {
            throw new IllegalArgumentException(
                    "not a store URI: " + wrong.getReason() + " at index " + wrong.getIndex() + "; expected " + FORM);
        }
        if (parsed.getScheme() == null) {
            throw new IllegalArgumentException("store URI has no scheme; expected " + FORM);
        }
        if (parsed.getRawFragment() != null) {
            throw new IllegalArgumentException("store URI has a fragment (#...), which means nothing here");
        }
        if (parsed.isOpaque()) {
            String rest = parsed.getRawSchemeSpecificPart();
            int query = rest.indexOf('?');
            String place = query < 0 ? rest : rest.substring(0, query);
            if (parsed.getScheme().startsWith(JDBC)) {
                checkDatabase(place);
            } else {
                checkHosts(place);
            }
            return new StoreUri(
                    parsed.getScheme() + ":",
                    Optional.empty(),
                    place,
                    "",
                    parameters(query < 0 ? null : rest.substring(query + 1)));
        }
        String authority = parsed.getRawAuthority() == null ? "" : parsed.getRawAuthority();
        int at = authority.indexOf('@');
        String hosts = hasHosts ? named.group(2) : "";
        String path = parsed.getRawPath() == null ? "" : parsed.getRawPath();
        String query = parsed.getRawQuery() == null ? "" : parsed.getRawQuery();
        if ((hosts + path + query).indexOf('@') >= 0) {
            throw new IllegalArgumentException("store URI has an '@' where none belongs; " + SECRETS);
        }
        if (path.indexOf('=') >= 0 || path.indexOf('&') >= 0) {
            throw new IllegalArgumentException(
                    "store URI has '=' or '&' before the '?' behind which its parameters stand; expected " + FORM);
        }
        if (!hosts.isEmpty()) {
            checkHosts(hosts);
        }
        return new StoreUri(
                parsed.getScheme() + "://",
                at < 0 ? Optional.empty() : Optional.of(decode(authority.substring(0, at))),
                hosts,
                parsed.getPath() == null ? "" : parsed.getPath(),
                parameters(parsed.getRawQuery()));
    }

    /** The same with other letters for the IPv6 addresses among the hosts, of which {@link URI} allows only one. */
    private static String withoutIpV6(String uri, int from, int to) {
        String hosts = IP_V6.matcher(uri.substring(from, to))
                .replaceAll(address -> "x".repeat(address.group().length()));
        return uri.substring(0, from) + hosts + uri.substring(to);
    }

    /**
     * Refuses what can be no database, without repeating it: its secrets belong into the parameters, because the rest is
     * shown.
     */
    private static void checkDatabase(String place) {
        if (place.startsWith(SQLITE)) {
            return;
        }
        if (place.indexOf('@') >= 0 || place.toLowerCase(Locale.ROOT).contains("password=")) {
            throw new IllegalArgumentException("a JDBC URI has user and password as parameters, not before an '@'");
        }
        boolean keyed = place.indexOf('(') >= 0; // as in address=(host=h)(port=3306)
        checkPorts(place);
        if (!keyed && !DATABASE.matcher(place).matches()) {
            throw new IllegalArgumentException("a JDBC URI names a kind, host, port or database that can be none;"
                    + " expected jdbc:kind://host:port/database?parameter=value&parameter=value");
        }
    }

    private static void checkPorts(String hosts) {
        Matcher port = PORT.matcher(hosts);
        while (port.find()) {
            int number = Integer.parseInt(port.group(1));
            if (number < 1 || number > GREATEST_PORT) {
                throw new IllegalArgumentException("store URI has '" + number + "' as a port; ports are 1 to 65535");
            }
        }
    }

    /** Refuses what can be no hosts and ports, without repeating them: what is no port may be a password. */
    private static void checkHosts(String hosts) {
        checkPorts(hosts);
        for (String host : hosts.split(",", -1)) {
            if (!HOST.matcher(host).matches() || (host.startsWith("[") && !isServer(host))) {
                throw new IllegalArgumentException(
                        "store URI names a host or port that can be none; expected " + FORM + "; " + SECRETS);
            }
        }
    }

    private static boolean isServer(String host) {
        try {
            return new URI("any://" + host).getHost() != null;
        } catch (URISyntaxException wrong) {
            return false;
        }
    }

    private static Map<String, String> parameters(@Nullable String query) {
        Map<String, String> result = new LinkedHashMap<>();
        if (query == null || query.isEmpty()) {
            return result;
        }
        for (String pair : query.split("&")) {
            int equals = pair.indexOf('=');
            if (equals <= 0) {
                throw new IllegalArgumentException("store URI has a parameter that is not of the form name=value");
            }
            String name = decode(pair.substring(0, equals));
            if (pair.toLowerCase(Locale.ROOT).indexOf("password=", equals) >= 0) {
                throw new IllegalArgumentException("store URI has a password inside of the parameter '" + name
                        + "': parameters have an '&' between them, and '=' is %3D in their values");
            }
            if (result.put(name, decode(pair.substring(equals + 1))) != null) {
                throw new IllegalArgumentException("store URI names the parameter '" + name + "' twice");
            }
        }
        return result;
    }

    private static String decode(String encoded) {
        return URLDecoder.decode(encoded.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    /** {@return what kind of store it is, such as {@code redis}; as it was written} */
    public String scheme() {
        return start.substring(0, start.indexOf(':'));
    }

    /** {@return user and password, decoded, as in {@code user:password}; empty if there are none} A secret. */
    public Optional<String> userInfo() {
        return userInfo;
    }

    /** {@return the hosts as written, such as {@code h1:2181,h2:2181}; may be empty} For {@code scheme:rest}, the rest. */
    public String hosts() {
        return hosts;
    }

    /** {@return the path, decoded, with its leading slash; empty if there is none} */
    public String path() {
        return path;
    }

    /**
     * The value of a parameter.
     *
     * @param name its name
     * @return decoded; empty if it is not there
     */
    public Optional<String> parameter(String name) {
        return Optional.ofNullable(parameters.get(name));
    }

    /** {@return all parameters, decoded, in the order in which they were written} Some may be secrets. */
    public Map<String, String> parameters() {
        return parameters;
    }

    /**
     * A parameter that is a length of time: {@code 500ms}, {@code 10s}, {@code 2m}, {@code 1h}, or ISO-8601
     * ({@code PT10S}).
     *
     * @param name its name
     * @return empty if it is not there
     * @throws IllegalArgumentException if it is no length of time
     */
    public Optional<Duration> duration(String name) {
        return parameter(name).map(text -> {
            try {
                return parseDuration(text);
            } catch (IllegalArgumentException wrong) {
                throw new IllegalArgumentException("parameter '" + name + "' of the store URI: " + wrong.getMessage());
            }
        });
    }

    /**
     * Reads a length of time: {@code 500ms}, {@code 10s}, {@code 2m}, {@code 1h}, or ISO-8601.
     *
     * @param text the text
     * @return never negative
     * @throws IllegalArgumentException if it is no length of time
     */
    public static Duration parseDuration(String text) {
        Matcher simple = DURATION.matcher(text);
        if (simple.matches()) {
            long count = Long.parseLong(simple.group(1));
            return switch (simple.group(2)) {
                case "ms" -> Duration.ofMillis(count);
                case "s" -> Duration.ofSeconds(count);
                case "m" -> Duration.ofMinutes(count);
                default -> Duration.ofHours(count);
            };
        }
        try {
            Duration iso = Duration.parse(text);
            if (!iso.isNegative()) {
                return iso;
            }
        } catch (DateTimeParseException wrong) {
            // said below, with the rule
        }
        throw new IllegalArgumentException("'" + text + "' is no length of time, such as 500ms, 10s, 2m or PT10S");
    }

    /**
     * Refuses parameters that nobody understands, so that a misspelt one is not silently ignored.
     *
     * @param known the names that are understood
     * @throws IllegalArgumentException naming the unknown ones
     */
    public void refuseOtherParametersThan(Set<String> known) {
        Set<String> unknown = new TreeSet<>(parameters.keySet());
        unknown.removeAll(known);
        if (!unknown.isEmpty()) {
            throw new IllegalArgumentException("store URI has unknown parameters " + unknown + "; known for " + scheme()
                    + " are " + new TreeSet<>(known));
        }
    }

    /**
     * Refuses parameters that are no known ones but almost, for stores that hand what they do not know to somebody else.
     *
     * @param known the names that are understood here
     * @throws IllegalArgumentException naming the unknown one, and which may be meant
     */
    public void refuseMisspelt(Set<String> known) {
        for (String name : parameters.keySet()) {
            for (String right : known) {
                if (!known.contains(name) && isAlmost(name.toLowerCase(Locale.ROOT), right.toLowerCase(Locale.ROOT))) {
                    throw new IllegalArgumentException(
                            "store URI has the parameter '" + name + "'; is '" + right + "' meant?");
                }
            }
        }
    }

    /** Whether no more than two letters are wrong, missing or too many: Levenshtein's distance. */
    private static boolean isAlmost(String one, String other) {
        int[] row = new int[other.length() + 1];
        Arrays.setAll(row, column -> column);
        for (int i = 1; i <= one.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= other.length(); j++) {
                int changed = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(changed, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[other.length()] <= 2;
    }

    /**
     * The same URI without some parameters.
     *
     * @param names those that have been dealt with
     * @return the rest
     */
    public StoreUri without(Set<String> names) {
        Map<String, String> rest = new LinkedHashMap<>(parameters);
        rest.keySet().removeAll(names);
        return new StoreUri(start, userInfo, hosts, path, rest);
    }

    /** Scheme, hosts and path: no user, no password, no parameters. */
    @Override
    public String toString() {
        return start + hosts + path;
    }
}
