package io.wellkeeper.cli.demo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The holder is killed in its section, while the others wait in the queue. */
record KilledHolderAct() implements Act {

    /** The longest wait, in session timeouts. It is more than one because a server may round a short timeout up. */
    private static final int LIMIT = 3;

    @Override
    public String title() {
        return "the holder is killed";
    }

    @Override
    public Result play(Stage stage) throws InterruptedException {
        ShopProcess victim = stage.shops().get(0);
        List<ShopProcess> queue = stage.shops().subList(1, stage.shops().size());
        List<Long> tokens = new ArrayList<>();
        tokens.add(victim.askNumber(Shop.Order.LOCK));
        for (int waiting = 1; waiting <= queue.size(); waiting++) {
            queue.get(waiting - 1).order(Shop.Order.LOCK);
            stage.awaitQueue(waiting);
        }
        stage.progress().say("   " + victim.name() + " is inside, " + queue.size() + " wait; kill -9 " + victim.name());
        victim.kill();
        long killed = System.nanoTime();
        Duration after = Duration.ZERO;
        for (ShopProcess shop : queue) {
            tokens.add(Long.parseLong(stage.awaitAnswer(shop, "waiting for " + shop.name() + " to enter")));
            if (tokens.size() == 2) {
                after = Duration.ofNanos(System.nanoTime() - killed);
                stage.progress().say("   " + shop.name() + " entered " + Stage.seconds(after) + " after the kill");
            }
            shop.ask(Shop.Order.UNLOCK);
        }
        return result(stage, after, tokens);
    }

    private Result result(Stage stage, Duration after, List<Long> tokens) {
        boolean inOrder = tokens.stream().sorted().distinct().toList().equals(tokens);
        Duration limit = stage.sessionTimeout().multipliedBy(LIMIT);
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("sessionTimeoutMillis", stage.sessionTimeout().toMillis());
        figures.put("nextAfterMillis", after.toMillis());
        figures.put("tokens", tokens);
        return new Result(
                title(),
                "the queue moves on, session timeout " + Stage.seconds(stage.sessionTimeout()),
                "the next entered after " + Stage.seconds(after) + ", then the others" + (inOrder ? " in order" : ""),
                inOrder && after.compareTo(limit) < 0,
                figures);
    }
}
