-- Writes something else on a ticket. ARGV: me, channels, name, ticket, metadata.
local number, own = string.match(ARGV[4], '^(%d+):(%w+:%w+)')
if redis.call('ZSCORE', queue, ARGV[4]) then
  redis.call('HSET', data, 'r' .. own, number .. ':' .. ARGV[5])
end
return {}
