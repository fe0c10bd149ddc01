package io.wellkeeper.jdbc;

import io.wellkeeper.spi.StoreUri;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Refuses an SQLite file on a file system that several machines share. SQLite relies on file locks, which such file
 * systems implement badly or for each machine by itself, and its write-ahead log relies on memory that machines do not
 * share. So two clients may be let in, and the file may be damaged. The same holds for a file that has several names,
 * by a hard link or because the file itself is mounted, as a single file into a container: SQLite looks for the log
 * beside the name that it was given.
 */
final class LocalFile {

    /** The parameter of a URI that allows any file system. */
    static final String ANY_FILE_SYSTEM = "anyFileSystem";

    private static final Set<String> SHARED = Set.of(
            "9p",
            "afpfs",
            "afs",
            "beegfs",
            "ceph",
            "cifs",
            "coda",
            "davfs",
            "gfs2",
            "glusterfs",
            "gpfs",
            "lustre",
            "ncpfs",
            "nfs",
            "nfs4",
            "ocfs2",
            "orangefs",
            "prl_fs",
            "smb2",
            "smb3",
            "smbfs",
            "v9fs",
            "vboxsf",
            "virtiofs",
            "vmhgfs",
            "webdav");

    private static final Path MOUNTS = Path.of("/proc/self/mountinfo"); // on Linux
    private static final int MOUNT_POINT = 4; // column of a line there

    private final UnaryOperator<String> types;

    LocalFile() {
        this(LocalFile::type);
    }

    /**
     * @param types of the file systems, by the names of files
     */
    LocalFile(UnaryOperator<String> types) {
        this.types = types;
    }

    /** Connects to files of local file systems only. */
    Database.Source only(Database.Source source) {
        return () -> {
            Connection made = source.connect();
            boolean fit = false;
            try {
                check(made);
                fit = true;
                return made;
            } finally {
                if (!fit) {
                    Requests.abort(made);
                }
            }
        };
    }

    /** As {@link #only(Database.Source)}, unless the URI says that any file system will do. */
    Database.Source only(Database.Source source, StoreUri uri) {
        String any = uri.parameter(ANY_FILE_SYSTEM).orElse("false");
        return switch (any) {
            case "true" -> source;
            case "false" -> only(source);
            default ->
                throw new IllegalArgumentException(ANY_FILE_SYSTEM + ": '" + any + "' is neither true nor false");
        };
    }

    /** Refuses an SQLite file that is not local; takes no round trip. Other databases pass. */
    private void check(Connection connection) throws SQLException {
        if (Vendor.of(connection) != Vendor.SQLITE) {
            return;
        }
        try (Statement statement = connection.createStatement();
                ResultSet files = statement.executeQuery("PRAGMA database_list")) {
            while (files.next()) {
                String file = files.getString("file");
                if (file == null || file.isEmpty()) {
                    continue;
                }
                String type = types.apply(file);
                if (isShared(type)) {
                    throw new SQLException(refusal(file, type), "0A000");
                }
                if (hasLinks(file) || isMounted(file, mounts())) {
                    throw new SQLException(refusalOfNames(file), "0A000");
                }
            }
        }
    }

    /** The type of a file's file system; one that cannot be found out is taken for local. */
    private static String type(String file) {
        try {
            return Files.getFileStore(Path.of(file)).type();
        } catch (IOException | InvalidPathException | SecurityException unknown) {
            return "";
        }
    }

    /** Whether a file has several hard links; where this cannot be found out, it is taken to have one. */
    private static boolean hasLinks(String file) {
        try {
            return (int) Files.getAttribute(Path.of(file), "unix:nlink") > 1;
        } catch (IOException | RuntimeException unknown) { // not there yet, or not on such a system
            return false;
        }
    }

    private static List<String> mounts() {
        try {
            return Files.readAllLines(MOUNTS);
        } catch (IOException | SecurityException notShown) {
            return List.of();
        }
    }

    /**
     * Whether the file itself, and not a folder around it, is mounted.
     *
     * @param mounts as Linux shows them
     */
    static boolean isMounted(String file, List<String> mounts) {
        String shown = file.replace("\\", "\\134").replace(" ", "\\040");
        return mounts.stream().anyMatch(line -> line.split(" ", MOUNT_POINT + 2)[MOUNT_POINT].equals(shown));
    }

    /**
     * Whether file systems of this type are shared by machines; FUSE, but for block devices, may have anything behind
     * it.
     */
    static boolean isShared(String type) {
        String name = type.toLowerCase(Locale.ROOT);
        return SHARED.contains(name) || (name.startsWith("fuse") && !name.equals("fuseblk"));
    }

    private static String refusal(String file, String type) {
        return "the SQLite file " + file + " is on a file system of the type " + type
                + ", which machines may share: SQLite may"
                + " let two of them in there, or damage the file. Take a folder of this machine's own, such as /var/tmp, or a"
                + " server; who knows that only one machine uses it adds " + ANY_FILE_SYSTEM + "=true";
    }

    private static String refusalOfNames(String file) {
        return "the SQLite file " + file
                + " has several names, by a hard link or because it is mounted by itself: SQLite keeps"
                + " its log beside each, and lets who uses the one in beside who uses the other, or damages the file. Let all"
                + " use the same folder, and mount that; who knows that only one name is used adds " + ANY_FILE_SYSTEM
                + "=true";
    }
}
