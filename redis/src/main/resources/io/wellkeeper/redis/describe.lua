-- Writes something else on a ticket. ARGV: me, channels, name, ticket, metadata, number of this writing in its session.
-- A writing that arrives later than one that was sent after it is void.
local number, own = string.match(ARGV[4], '^(%d+):(%w+:%w+)')
if redis.call('ZSCORE', queue, ARGV[4]) then
  local last = string.match(redis.call('HGET', data, 'r' .. own) or '', '^%d+%.(%d+):')
  if not last or tonumber(last) < tonumber(ARGV[6]) then
    redis.call('HSET', data, 'r' .. own, number .. '.' .. ARGV[6] .. ':' .. ARGV[5])
  end
end
return {}
