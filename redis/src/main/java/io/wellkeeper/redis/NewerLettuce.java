package io.wellkeeper.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.MaintNotificationsConfig;

/**
 * What only newer versions of Lettuce have. Everything else in this module is in the oldest that it works with, 6.6, which
 * other frameworks still bring along.
 */
final class NewerLettuce {

    private NewerLettuce() {}

    /** Asks the server for no notices of its maintenance; older versions never do, nor know the class. */
    static ClientOptions.Builder withoutMaintenanceNotices(ClientOptions.Builder options) {
        try {
            return options.maintNotificationsConfig(MaintNotificationsConfig.disabled());
        } catch (NoClassDefFoundError | NoSuchMethodError older) {
            return options;
        }
    }
}
