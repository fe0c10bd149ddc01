package io.wellkeeper.storekit;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.DistributedReadWriteLock;
import java.util.List;
import java.util.function.Function;

/** The read-write lock of the test, for each client. */
abstract class ReadWriteKit extends LockKit {

    static final List<Function<DistributedReadWriteLock, DistributedLock>> VIEWS =
            List.of(DistributedReadWriteLock::readLock, DistributedReadWriteLock::writeLock);

    DistributedReadWriteLock views(Client client) {
        return client.queues().readWriteLock(name);
    }

    DistributedLock read(Client client) {
        return views(client).readLock();
    }

    DistributedLock write(Client client) {
        return views(client).writeLock();
    }
}
