package io.wellkeeper.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.MaintNotificationsConfig;

/**
 * Uses what only newer versions of Lettuce have. Everything else that this module needs is in 6.6, the oldest version
 * that it works with, which other frameworks still bring along.
 */
final class NewerLettuce {

    private NewerLettuce() {}

    /** Does not ask the server for notices of its maintenance. Older versions never ask, and do not have the class. */
    static ClientOptions.Builder withoutMaintenanceNotices(ClientOptions.Builder options) {
        try {
            return options.maintNotificationsConfig(MaintNotificationsConfig.disabled());
        } catch (NoClassDefFoundError | NoSuchMethodError older) {
            return options;
        }
    }
}
