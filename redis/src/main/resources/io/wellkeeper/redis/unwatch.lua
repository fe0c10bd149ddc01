-- Watches a ticket no more. ARGV: me, channels, name, ticket.
strike('w' .. ARGV[4], me)
return {}
