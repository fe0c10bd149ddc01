-- Gives all of my tickets back whose number is at most this one, but for some.
-- ARGV: me, channels, name, number, and the numbers of those that stay.
local stay = {}
for i = 5, #ARGV do
  stay[ARGV[i]] = true
end
for _, ticket in ipairs(redis.call('ZRANGEBYSCORE', queue, '-inf', ARGV[4])) do
  if owner(ticket) == me and not stay[string.match(ticket, '^%d+')] then
    redis.call('ZREM', queue, ticket)
    departed(ticket)
  end
end
if redis.call('EXISTS', queue) == 0 then
  redis.call('ZREM', names, ARGV[3])
end
return {}
