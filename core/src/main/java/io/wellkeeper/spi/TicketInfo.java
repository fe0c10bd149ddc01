package io.wellkeeper.spi;

import java.time.Instant;
import java.util.OptionalLong;

/**
 * A ticket as an onlooker sees it.
 *
 * @param ticket the ticket
 * @param metadata the text given with its {@link TicketRequest}; empty when it cannot be read
 * @param since when it was taken, by the store's clock where it has one
 * @param token what {@link Place#token} said when it was taken; empty where an onlooker cannot know
 */
public record TicketInfo(Ticket ticket, String metadata, Instant since, OptionalLong token) {}
