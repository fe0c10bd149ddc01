/**
 * For people who write a store: {@link io.wellkeeper.spi.TicketStore} for a store that can keep order,
 * {@link io.wellkeeper.spi.LeaseStore} for one that can only say yes or no, and the seam for time.
 */
@NullMarked
package io.wellkeeper.spi;

import org.jspecify.annotations.NullMarked;
