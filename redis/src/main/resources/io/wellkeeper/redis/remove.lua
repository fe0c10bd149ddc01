-- Gives a ticket back. ARGV: me, channels, name, ticket, its number. Returns 1 if it was there.
return { give_back(ARGV[4], ARGV[5]) }
