-- Watches a ticket no more. ARGV: me, channels, name, ticket, the last sequence number.
if late(ARGV[5]) then
  return {} -- it may be watched again
end
local field = 'w' .. ARGV[4]
strike(field, redis.call('HGET', data, field), me)
return {}
