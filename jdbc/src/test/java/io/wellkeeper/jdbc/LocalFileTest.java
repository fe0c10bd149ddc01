package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockSource;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.StoreRefusalException;
import io.wellkeeper.spi.StoreUri;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LocalFileTest {

    private static final ClientOptions PATIENT = ClientOptions.builder()
            .storeTimeout(Duration.ofMinutes(2))
            .build(); // so that nothing here ends because of it

    @TempDir
    Path folder;

    private String file() {
        return folder.resolve("locks.db").toString();
    }

    @ParameterizedTest
    @ValueSource(strings = {"nfs", "nfs4", "cifs", "smb3", "9p", "fuse.sshfs", "fuse", "virtiofs", "NFS"})
    void connect_fileSystemThatMachinesShare_isRefusedWithAWayOut(String type) throws Exception {
        List<Connection> made = new ArrayList<>();
        Database.Source source = () -> {
            made.add(DriverManager.getConnection("jdbc:sqlite:" + file()));
            return made.get(made.size() - 1);
        };
        Database database = Database.of(
                new LocalFile(file -> file.equals(file()) ? type : "ext4").only(source),
                "sqlite",
                new Sqlite(),
                new Tables(Optional.empty(), Tables.PREFIX));

        assertThatThrownBy(() -> LockClient.over(new SqlTicketStore(database), PATIENT))
                .isInstanceOf(LockStoreException.class)
                .hasCauseInstanceOf(StoreRefusalException.class)
                .hasMessageContaining(file())
                .hasMessageContaining(type)
                .hasMessageContaining("anyFileSystem=true");
        for (Connection each : made) {
            assertThat(each.isClosed()).isTrue();
        }
    }

    private static LockSource connect(String uri) {
        return uri.startsWith("jdbc:") ? LockClient.connect(uri, PATIENT) : LeaseClient.connect(uri, PATIENT);
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdbc:sqlite:", "jdbc-simple:sqlite:"})
    void connect_fileWithAHardLink_isRefusedWithAWayOut(String scheme) throws Exception {
        String uri = scheme + file();
        try (LockSource client = connect(uri)) {
            client.lock("a").acquire().close();
        }
        Path another = Files.createLink(folder.resolve("another.db"), Path.of(file()));

        assertThatThrownBy(() -> connect(uri).lock("a").acquire())
                .isInstanceOf(LockStoreException.class)
                .hasMessageContaining(file())
                .hasMessageContaining("anyFileSystem=true");
        try (LockSource client = connect(uri + "?anyFileSystem=true")) {
            client.lock("a").acquire().close();
        }

        Files.delete(another);
        try (LockSource client = connect(uri)) {
            client.lock("a").acquire().close();
        }
    }

    @Test
    void isMounted_fileByItself_isTrue() {
        List<String> mounts = List.of(
                "22 1 254:0 / / rw,relatime - ext4 /dev/vda rw",
                "67 22 254:0 /home/a.db /data/a.db rw,relatime shared:1 - ext4 /dev/vda rw",
                "68 22 254:0 /home /folder rw,relatime - ext4 /dev/vda rw",
                "69 22 254:0 /home/b.db /my\\040data/b.db rw,relatime - ext4 /dev/vda rw");

        assertThat(LocalFile.isMounted("/data/a.db", mounts)).isTrue();
        assertThat(LocalFile.isMounted("/my data/b.db", mounts)).isTrue();
        assertThat(LocalFile.isMounted("/folder/a.db", mounts)).isFalse();
        assertThat(LocalFile.isMounted("/home/a.db", mounts)).isFalse();
    }

    @Test
    void only_userWhoKnowsBetter_isNotAsked() throws Exception {
        LocalFile shared = new LocalFile(file -> "nfs4");
        Database.Source source = () -> DriverManager.getConnection("jdbc:sqlite:" + file());
        StoreUri known = StoreUri.parse("jdbc:sqlite:" + file() + "?anyFileSystem=true");

        shared.only(source, known).connect().close();
        assertThatThrownBy(
                        () -> shared.only(source, StoreUri.parse("jdbc:sqlite:" + file() + "?anyFileSystem=perhaps")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("anyFileSystem");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ext4", "xfs", "btrfs", "tmpfs", "overlay", "apfs", "NTFS", "fuseblk", ""})
    void isShared_fileSystemOfOneMachine_isFalse(String type) {
        assertThat(LocalFile.isShared(type)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdbc:sqlite:", "jdbc-simple:sqlite:"})
    void connect_localFile_locks(String scheme) throws Exception {
        for (String option : List.of("", "?anyFileSystem=true", "?anyFileSystem=false")) {
            String uri = scheme + file() + option;
            try (LockSource client =
                    scheme.equals("jdbc:sqlite:") ? LockClient.connect(uri) : LeaseClient.connect(uri)) {
                client.lock("a").acquire().close();
            }
        }
    }
}
