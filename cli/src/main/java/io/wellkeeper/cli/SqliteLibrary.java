package io.wellkeeper.cli;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.sqlite.util.LibraryLoaderUtil;
import org.sqlite.util.OSInfo;

/**
 * Unpacks SQLite's native library for this system, so that the driver need not do so at each start. The driver takes
 * the library from the folder that the property {@code org.sqlite.lib.path} names.
 */
final class SqliteLibrary {

    private SqliteLibrary() {}

    /**
     * @param args the folder for the library
     */
    public static void main(String[] args) throws IOException {
        String name = LibraryLoaderUtil.getNativeLibName();
        String resource = "/org/sqlite/native/" + OSInfo.getNativeLibFolderPathForCurrentOS() + "/" + name;
        try (InputStream library = OSInfo.class.getResourceAsStream(resource)) {
            if (library == null) {
                throw new FileNotFoundException(resource);
            }
            Files.copy(library, Path.of(args[0], name));
        }
    }
}
