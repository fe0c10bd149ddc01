package io.wellkeeper.cli.demo;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockLostException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * One shop: a process of its own that carries out the orders that it reads from standard input, one in each line, and
 * answers each order with a line. It ends with its input.
 */
public final class Shop {

    /** The orders that the demonstration can give to a shop. */
    enum Order {
        /** Sells until nothing is left, without a lock; answers how many it sold. */
        SELL_WITHOUT_LOCK,
        /** Sells until nothing is left, each item under the lock and with its token; answers how many it sold. */
        SELL_WITH_LOCK,
        /** Acquires the lock; answers with the fencing token. */
        LOCK,
        /** Reads the stock; answers with the number. */
        READ,
        /** Sells one item of the stock that it has read; answers {@code written}. */
        WRITE,
        /** As {@link #WRITE}, with the token; answers {@code written} or {@code refused}. */
        WRITE_WITH_TOKEN,
        /** Answers with the result of {@code isHeldByCurrentThread()}. */
        IS_HELD,
        /** Releases the lock; answers {@code unlocked}, or {@code LockLostException}. */
        UNLOCK
    }

    private final DistributedLock lock;
    private final Till till;
    private int stockSeen;
    private long token;

    private Shop(DistributedLock lock, Till till) {
        this.lock = lock;
        this.till = till;
    }

    /**
     * Argument: the name of the shop. Lines of standard input: the store's URI, the session timeout, the lock's name,
     * the database's URL and password, and then orders.
     */
    public static void main(String[] args) throws IOException, SQLException, InterruptedException {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String store = input.readLine();
        ClientOptions options = ClientOptions.builder()
                .clientName(args[0])
                .sessionTimeout(Duration.parse(input.readLine()))
                .build();
        String name = input.readLine();
        try (LockClient client = LockClient.connect(store, options);
                Till till = new Till(input.readLine(), input.readLine(), args[0])) {
            Shop shop = new Shop(client.lock(name), till);
            System.out.println("open");
            for (String line = input.readLine(); line != null; line = input.readLine()) {
                System.out.println(shop.follow(Order.valueOf(line)));
            }
        }
    }

    private String follow(Order order) throws SQLException, InterruptedException {
        return switch (order) {
            case SELL_WITHOUT_LOCK -> Integer.toString(sellWithoutLock());
            case SELL_WITH_LOCK -> Integer.toString(sellWithLock());
            case LOCK -> {
                lock.lock();
                token = lock.fencingToken();
                yield Long.toString(token);
            }
            case READ -> {
                stockSeen = till.stock();
                yield Integer.toString(stockSeen);
            }
            case WRITE -> {
                till.sell(stockSeen);
                yield "written";
            }
            case WRITE_WITH_TOKEN -> till.sell(stockSeen, token) ? "written" : "refused";
            case IS_HELD -> Boolean.toString(lock.isHeldByCurrentThread());
            case UNLOCK -> unlock();
        };
    }

    private int sellWithoutLock() throws SQLException {
        int sold = 0;
        while (sellOne()) {
            sold++;
        }
        return sold;
    }

    /**
     * Sells under the lock. On a very busy machine a shop may lose its lock; then it goes on, and the warehouse refuses
     * writes that come too late.
     */
    private int sellWithLock() throws SQLException, InterruptedException {
        int sold = 0;
        boolean more = true;
        while (more) {
            try (LockHandle held = lock.acquire()) {
                int stock = till.stock();
                more = stock > 0;
                if (more) {
                    think();
                    sold += till.sell(stock, held.fencingToken()) ? 1 : 0;
                }
            } catch (LockLostException lost) {
                // writes that came after those of the next shop were refused
            }
        }
        return sold;
    }

    private boolean sellOne() throws SQLException {
        int stock = till.stock();
        if (stock <= 0) {
            return false;
        }
        think();
        till.sell(stock);
        return true;
    }

    private static void think() {
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(1_000_000, 4_000_000));
    }

    private String unlock() {
        try {
            lock.unlock();
            return "unlocked";
        } catch (LockLostException lost) {
            return lost.getClass().getSimpleName();
        }
    }
}
