package io.wellkeeper.benchmarks;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Properties;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/** The versions of the libraries that take part. */
public final class Versions {

    private static final String UNKNOWN = "unknown";

    private Versions() {}

    /** The version in the manifest of the library's jar, or else in Maven's notes in the jar. */
    public static String of(Class<?> type) {
        String version = type.getPackage().getImplementationVersion();
        return version == null ? noted(type) : version;
    }

    private static String noted(Class<?> type) {
        try (JarFile jar = new JarFile(new File(
                type.getProtectionDomain().getCodeSource().getLocation().toURI()))) {
            List<JarEntry> notes = jar.stream()
                    .filter(entry -> entry.getName().matches("META-INF/maven/.+/pom\\.properties"))
                    .toList();
            if (notes.size() != 1) {
                return UNKNOWN; // if there are several notes, it is not known which is its own
            }
            Properties properties = new Properties();
            try (InputStream in = jar.getInputStream(notes.get(0))) {
                properties.load(in);
            }
            return properties.getProperty("version", UNKNOWN);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } catch (URISyntaxException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
