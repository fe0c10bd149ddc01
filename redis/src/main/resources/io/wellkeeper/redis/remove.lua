-- Gives a ticket back. ARGV: me, channels, name, ticket, its number. Returns 1 if it was there.
local ticket, number = ARGV[4], ARGV[5]
local there = redis.call('ZREM', queue, ticket)
if there == 1 or #redis.call('ZRANGEBYSCORE', queue, number, number) == 0 then -- it was not replaced
  departed(ticket)
  if redis.call('EXISTS', queue) == 0 then
    redis.call('ZREM', names, ARGV[3])
  end
end
return { there }
