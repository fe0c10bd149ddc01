package io.wellkeeper.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;

/**
 * The scripts, each of which the server carries out in one step. The text of a script is the resource files named here,
 * and then the resource file of its own name.
 */
enum Script {
    OPEN("sessions", "leases", "lasting", "guard"),
    RENEW("sessions", "leases", "lasting"),
    END("sessions", "lasting"),
    CHECK("sessions", "leases"),
    NAMES("sessions", "leases"),
    TAKE("numbers", "again", "sessions", "leases", "queue", "living"),
    TICKETS("sessions", "leases", "queue", "living"),
    INSPECT("sessions", "leases", "queue", "living"),
    REMOVE("sessions", "queue"),
    LEAVE("sessions", "queue", "late"),
    WATCH("sessions", "leases", "queue", "late"),
    UNWATCH("sessions", "queue", "late"),
    ALONE("sessions", "leases", "queue"),
    REPLACE("sessions", "leases", "queue"),
    DESCRIBE("sessions", "queue"),
    NOTICE("sessions", "queue"),
    /** As {@link #NOTICE}, for a client that reads the notice when it asks for a ticket. */
    NOTICE_OF_TICKET(NOTICE),
    POST("numbers", "sessions", "leases", "queue"),
    HEED("sessions", "queue", "late"),
    UNHEED("sessions", "queue", "late"),
    TOUCH("sessions", "leases", "queue");

    private final String text;
    private final String digest;

    Script(String... beginnings) {
        StringBuilder whole = new StringBuilder();
        for (String beginning : beginnings) {
            whole.append(read(beginning));
        }
        text = whole.append(read(name().toLowerCase(Locale.ROOT))).toString();
        digest = sha1(text);
    }

    Script(Script same) {
        text = same.text;
        digest = same.digest;
    }

    static String read(String name) {
        String file = name + ".lua";
        try (InputStream resource = Script.class.getResourceAsStream(file)) {
            if (resource == null) {
                throw new IllegalStateException(file + " is missing in the jar");
            }
            return new String(resource.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    static String sha1(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** The text, for a server that does not know the script yet. */
    String text() {
        return text;
    }

    /** The digest, by which the server knows the script. */
    String digest() {
        return digest;
    }
}
