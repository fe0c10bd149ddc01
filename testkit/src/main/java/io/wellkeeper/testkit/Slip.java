package io.wellkeeper.testkit;

import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketRequest;
import java.time.Instant;

/** A living ticket with the server's data about it. */
record Slip(String name, Ticket ticket, long token, TicketRequest request, Instant since, Member owner) {

    Slip with(Ticket other, TicketRequest described) {
        return new Slip(name, other, token, described, since, owner);
    }
}
