-- Watches a ticket no more. ARGV: me, channels, name, ticket.
local field = 'w' .. ARGV[4]
strike(field, redis.call('HGET', data, field), me)
return {}
