package io.wellkeeper.jdbc;

import io.wellkeeper.spi.StoreUri;
import java.util.HashSet;
import java.util.Map;
import java.util.Properties;
import java.util.Set;

/**
 * What a URI says of a database. Everything behind the URI's scheme is for the driver, except the store's own
 * parameters.
 *
 * @param source of connections
 * @param address for messages, without parameters
 */
record LeaseTablePlace(Database.Source source, String address) {

    private static final Map<String, Map<String, String>> DEFAULTS = Map.of(
            "postgresql",
                    Map.of(
                            "ApplicationName", "wellkeeper",
                            "tcpKeepAlive", "true",
                            "assumeMinServerVersion", "14", // saves round trips when it connects
                            "connectTimeout", "5",
                            "loginTimeout", "5"),
            "mariadb",
                    Map.of(
                            "connectTimeout", "5000",
                            "deniedListTimeout", "1000", // as of a ticket store
                            "socketTimeout", "5000"),
            "mysql",
                    Map.of(
                            "connectTimeout", "5000",
                            "socketTimeout", "5000",
                            "readOnlyPropagatesToServer", "false"), // saves the driver from asking with each statement
            "sqlite", Map.of("busy_timeout", "500", "journal_mode", "WAL"));

    static LeaseTablePlace of(StoreUri uri, Set<String> parametersOfTheStore) {
        uri.refuseMisspelt(parametersOfTheStore);
        String kind = uri.hosts().replaceFirst(":.*", "");
        Map<String, String> defaults = DEFAULTS.get(kind);
        if (defaults == null || !uri.hosts().startsWith(kind + ":")) {
            throw new IllegalArgumentException("no database that this store knows; expected " + uri.scheme()
                    + ":postgresql://host/database, or the same with mariadb or mysql, or " + uri.scheme()
                    + ":sqlite:/path/file");
        }
        if (kind.equals("sqlite") && uri.hosts().matches("sqlite:(file:)?(:memory:)?")) {
            throw new IllegalArgumentException(
                    "SQLite needs a file: in memory each connection has a database of its own");
        }
        String address = "jdbc:" + uri.hosts();
        Properties properties = new Properties();
        Set<String> others = new HashSet<>(uri.parameters().keySet());
        others.removeAll(parametersOfTheStore);
        if (kind.equals("sqlite")) {
            others.remove(LocalFile.ANY_FILE_SYSTEM);
        }
        others.forEach(name -> properties.setProperty(name, uri.parameter(name).orElseThrow()));
        defaults.forEach(properties::putIfAbsent);
        Database.Source source = () -> JdbcPlace.connect(address, properties);
        return new LeaseTablePlace(kind.equals("sqlite") ? new LocalFile().only(source, uri) : source, address);
    }
}
