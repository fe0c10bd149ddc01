-- Gives back all of my tickets whose number is at most this one, except for some.
-- ARGV: me, channels, name, number, the last sequence number, and the tickets that stay, by their numbers, or by their
-- requests where the tickets are not known yet.
if late(ARGV[5]) then
  return {} -- by now there may be further tickets that have to stay
end
local stay = {}
for i = 6, #ARGV do
  stay[ARGV[i]] = true
end
for _, ticket in ipairs(redis.call('ZRANGEBYSCORE', queue, '-inf', ARGV[4])) do
  local number, request = string.match(ticket, '^(%d+):%w+:(%w+)')
  if owner(ticket) == me and not stay[number] and not stay[request] then
    redis.call('ZREM', queue, ticket)
    departed(ticket)
  end
end
if redis.call('EXISTS', queue) == 0 then
  redis.call('ZREM', names, ARGV[3])
end
return {}
