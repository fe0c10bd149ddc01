package io.wellkeeper.cli.demo;

import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The holder is paused just before it writes, for longer than its session lasts, and wakes up when another shop has
 * sold the last item.
 *
 * @param checked whether the database checks the fencing token
 */
record PausedHolderAct(boolean checked) implements Act {

    private static final int STOCK = 1;

    @Override
    public String title() {
        return "the holder is paused, " + (checked ? "its token checked" : "no check");
    }

    @Override
    public Result play(Stage stage) throws SQLException, InterruptedException {
        ShopProcess sleeper = stage.shops().get(1);
        ShopProcess other = stage.shops().get(2);
        Shop.Order write = checked ? Shop.Order.WRITE_WITH_TOKEN : Shop.Order.WRITE;
        stage.warehouse().refill(STOCK);

        long stale = sleeper.askNumber(Shop.Order.LOCK);
        sleeper.ask(Shop.Order.READ);
        other.order(Shop.Order.LOCK);
        stage.awaitQueue(1);
        sleeper.pause();
        stage.progress()
                .say("   " + sleeper.name() + " has token " + stale + ", has seen " + STOCK
                        + " item and is paused before it writes");

        long fresh = Long.parseLong(stage.awaitAnswer(other, "waiting for " + other.name() + " to enter"));
        other.ask(Shop.Order.READ);
        other.ask(write);
        other.ask(Shop.Order.UNLOCK);
        stage.progress().say("   " + other.name() + " has token " + fresh + " and has sold the item");

        sleeper.order(write);
        sleeper.resume();
        String written = sleeper.answer();
        boolean held = Boolean.parseBoolean(sleeper.ask(Shop.Order.IS_HELD));
        String unlock = sleeper.ask(Shop.Order.UNLOCK);
        stage.progress()
                .say("   " + sleeper.name() + " wakes and writes: " + written + "; isHeldByCurrentThread(): " + held
                        + ", unlock(): " + unlock);
        return result(stage.warehouse().orders(), written, held, unlock, stale, fresh);
    }

    private Result result(int orders, String written, boolean held, String unlock, long stale, long fresh) {
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("stock", STOCK);
        figures.put("orders", orders);
        figures.put("staleToken", stale);
        figures.put("freshToken", fresh);
        figures.put("staleWrite", written);
        figures.put("isHeldByCurrentThread", held);
        figures.put("unlock", unlock);
        boolean told = !held && unlock.equals("LockLostException");
        boolean guarded = written.equals("refused") && orders == STOCK && stale < fresh;
        boolean oversold = written.equals("written") && orders == STOCK + 1;
        return new Result(
                title(),
                checked ? "the late write is refused" : "the last item is sold twice",
                written + ", " + orders + (orders == 1 ? " order" : " orders") + " for " + STOCK + " item",
                told && (checked ? guarded : oversold),
                figures);
    }
}
