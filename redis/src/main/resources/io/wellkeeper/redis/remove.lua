-- Gives a ticket back. ARGV: me, channels, name, ticket, its number. Returns 1 if it was there.
local ticket, number = ARGV[4], ARGV[5]
local there = redis.call('ZREM', queue, ticket)
if #redis.call('ZRANGEBYSCORE', queue, number, number) == 0 then -- it was not replaced
  departed(ticket)
  if redis.call('EXISTS', queue) == 0 then
    emptied()
  end
end
return { there }
