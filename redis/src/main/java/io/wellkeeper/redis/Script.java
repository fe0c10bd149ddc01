package io.wellkeeper.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;

/** What the server is asked to do in one step: each is a resource file, behind those that it begins with. */
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
    /** As {@link #NOTICE}, by who asks for a ticket and reads it with that. */
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

    /** For the server that does not know it yet. */
    String text() {
        return text;
    }

    /** What the server knows it by. */
    String digest() {
        return digest;
    }
}
