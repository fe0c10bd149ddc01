package io.wellkeeper.spring.boot;

import com.zaxxer.hikari.HikariDataSource;
import io.wellkeeper.LockClient;
import io.wellkeeper.jdbc.SqlTicketStore;
import io.wellkeeper.spi.StoreUri;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.boot.jdbc.DataSourceUnwrapper;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.util.ClassUtils;

/**
 * The database of the application's {@code DataSource}. The client connects by itself, with the URL, the user and the password of the
 * pool. It uses no connections of the pool, because it would keep them for good, and it takes no part in transactions.
 *
 * <p>If a {@code DataSource} does not tell its URL, the client takes two connections of it, on threads without a
 * transaction.
 */
final class DataSourceApplicationStore implements ApplicationStore {

    private static final Pattern KNOWN = Pattern.compile("jdbc:(postgresql|mariadb|mysql|sqlite):.*");

    private final DataSource source;

    DataSourceApplicationStore(DataSource source) {
        this.source = unwrapped(source);
    }

    private static DataSource unwrapped(DataSource source) {
        DataSource target = source;
        while (target instanceof DelegatingDataSource delegating && delegating.getTargetDataSource() != null) {
            target = delegating.getTargetDataSource();
        }
        return target;
    }

    @Override
    public ReusedStore kind() {
        return ReusedStore.DATA_SOURCE;
    }

    @Override
    public LockClient connect(LockClients clients) {
        Optional<SimpleDriverDataSource> own = own();
        Optional<String> uri = own.flatMap(DataSourceApplicationStore::uri);
        return uri.isPresent()
                ? clients.connect(uri.get(), null)
                : clients.over(SqlTicketStore.over(
                        own.<DataSource>map(direct -> direct).orElse(source)));
    }

    /** A data source that connects like the pool, but without it; empty if the pool does not tell how it connects. */
    private Optional<SimpleDriverDataSource> own() {
        SimpleDriverDataSource direct;
        try {
            direct = DataSourceBuilder.derivedFrom(source)
                    .type(SimpleDriverDataSource.class)
                    .build();
        } catch (RuntimeException unknown) {
            return Optional.empty();
        }
        if (direct.getUrl() == null || direct.getDriver() == null) {
            return Optional.empty();
        }
        direct.setConnectionProperties(driverProperties());
        return Optional.of(direct);
    }

    private Properties driverProperties() {
        Properties properties = new Properties();
        if (ClassUtils.isPresent(
                "com.zaxxer.hikari.HikariDataSource", getClass().getClassLoader())) {
            properties.putAll(Pool.driverProperties(source));
        }
        return properties;
    }

    /** The parts that need Hikari's pool; this class is loaded only if the pool is on the class path. */
    private static final class Pool {

        static Properties driverProperties(DataSource source) {
            HikariDataSource pool = DataSourceUnwrapper.unwrap(source, HikariDataSource.class);
            return pool == null ? new Properties() : pool.getDataSourceProperties();
        }
    }

    /**
     * The URI by which Wellkeeper connects like the data source; empty if Wellkeeper does not know this kind of URL.
     */
    static Optional<String> uri(SimpleDriverDataSource source) {
        String url = String.valueOf(source.getUrl());
        if (!KNOWN.matcher(url).matches()) {
            return Optional.empty();
        }
        StoreUri known;
        try {
            known = StoreUri.parse(url);
        } catch (IllegalArgumentException notAsOurs) {
            return Optional.empty();
        }
        Map<String, String> more = new LinkedHashMap<>();
        Properties properties = source.getConnectionProperties();
        if (properties != null) {
            properties.stringPropertyNames().forEach(name -> more.put(name, properties.getProperty(name)));
        }
        put(more, "user", source.getUsername());
        put(more, "password", source.getPassword());
        more.keySet().removeAll(known.parameters().keySet());
        if (more.isEmpty()) {
            return Optional.of(url);
        }
        return Optional.of(url
                + (known.parameters().isEmpty() ? "?" : "&")
                + more.entrySet().stream()
                        .map(entry -> encoded(entry.getKey()) + "=" + encoded(entry.getValue()))
                        .collect(Collectors.joining("&")));
    }

    private static void put(Map<String, String> parameters, String name, @Nullable String value) {
        if (value != null && !value.isEmpty()) {
            parameters.put(name, value);
        }
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
