package io.wellkeeper.spi;

/**
 * What a new ticket shall be.
 *
 * @param id names this request, and no other, within the session: letters and digits, at most 32. A store whose reply
 *     was lost finds the ticket again by it
 * @param mode whom it tolerates beside itself
 * @param permits how much of the resource it wants, 1 or more
 * @param metadata text that the store keeps beside the ticket and shows to whoever looks, at most 16 KiB of ASCII
 */
public record TicketRequest(String id, Mode mode, int permits, String metadata) {}
