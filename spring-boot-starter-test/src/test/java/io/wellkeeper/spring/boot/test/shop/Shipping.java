package io.wellkeeper.spring.boot.test.shop;

import io.wellkeeper.spring.FencingToken;
import io.wellkeeper.spring.Locked;
import org.springframework.stereotype.Service;

/** A component with a guarded method. */
@Service
public class Shipping {

    /**
     * Ships.
     *
     * @param order which one
     * @param whileShipping what happens meanwhile
     * @param token filled in
     */
    @Locked("order/#{#order}")
    public long ship(long order, Runnable whileShipping, @FencingToken long token) {
        whileShipping.run();
        return token;
    }
}
