package io.wellkeeper.cli.demo;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * All shops sell the same stock at the same time.
 *
 * @param locked whether each sale is made under the lock
 */
record RushAct(boolean locked) implements Act {

    private static final int STOCK = 100;
    private static final Duration LOOK_AGAIN = Duration.ofMillis(50);

    @Override
    public String title() {
        return locked ? "with the lock" : "without a lock";
    }

    @Override
    public Result play(Stage stage) throws SQLException, InterruptedException {
        Warehouse warehouse = stage.warehouse();
        warehouse.refill(STOCK);
        Shop.Order order = locked ? Shop.Order.SELL_WITH_LOCK : Shop.Order.SELL_WITHOUT_LOCK;
        long start = System.nanoTime();
        stage.shops().forEach(shop -> shop.order(order));
        List<String> sold = new ArrayList<>();
        for (ShopProcess shop : stage.shops()) {
            Optional<String> answer = shop.answerWithin(LOOK_AGAIN);
            while (answer.isEmpty()) {
                stage.progress().show("   " + warehouse.orders() + " orders for " + STOCK + " items");
                answer = shop.answerWithin(LOOK_AGAIN);
            }
            sold.add(answer.get());
        }
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        int orders = warehouse.orders();
        stage.progress()
                .say("   " + orders + " orders for " + STOCK + " items in " + Stage.seconds(took) + "; by shop: "
                        + sold.stream().collect(Collectors.joining(", ")));
        return result(orders, took);
    }

    private Result result(int orders, Duration took) {
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("stock", STOCK);
        figures.put("orders", orders);
        figures.put("millis", took.toMillis());
        return new Result(
                title(),
                locked ? "exactly " + STOCK + " orders" : "more than " + STOCK + " orders",
                orders + " orders" + (orders > STOCK ? ", " + (orders - STOCK) + " oversold" : ""),
                locked ? orders == STOCK : orders > STOCK,
                figures);
    }
}
