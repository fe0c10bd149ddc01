-- Puts a milder ticket in the place of one's own. ARGV: me, channels, name, old ticket, new ticket, their number.
-- Returns 1 if the new ticket stands there; nothing if the session has ended.
local old, milder, number = ARGV[4], ARGV[5], ARGV[6]
if lease(me) == 0 then
  return {}
end
if redis.call('ZSCORE', queue, old) then
  redis.call('ZADD', queue, number, milder)
  redis.call('ZREM', queue, old)
  announce(old, redis.call('HGET', data, 'w' .. old))
  return { 1 }
end
return { redis.call('ZSCORE', queue, milder) and 1 or 0 }
