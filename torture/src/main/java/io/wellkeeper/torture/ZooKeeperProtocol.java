package io.wellkeeper.torture;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.Set;

/** The clients of ZooKeeper send requests: a number, a type, and a content. */
final class ZooKeeperProtocol implements Servers.Protocol {

    /** create, delete, exists, getData, setData, getChildren, sync, getChildren2, multi, create2, createContainer, multiRead. */
    private static final Set<Integer> USED = Set.of(1, 2, 3, 4, 5, 8, 9, 12, 14, 15, 19, 22);

    private static final int HEADER = 2 * Integer.BYTES;
    private static final int REPLY = 2 * Integer.BYTES + Long.BYTES;
    private static final int THROTTLED = -127;
    private static final int SESSION_MOVED = -118;

    @Override
    public Optional<String> kind(ByteBuffer request) {
        boolean used = request.remaining() >= HEADER && request.getInt(0) > 0 && USED.contains(request.getInt(4));
        return used ? Optional.of(Integer.toString(request.getInt(Integer.BYTES))) : Optional.empty();
    }

    @Override
    public byte[] refuse(ByteBuffer request, int which) {
        return ByteBuffer.allocate(Integer.BYTES + REPLY)
                .putInt(REPLY)
                .putInt(request.getInt(0))
                .putLong(0)
                .putInt(which % 2 == 0 ? THROTTLED : SESSION_MOVED)
                .array();
    }
}
