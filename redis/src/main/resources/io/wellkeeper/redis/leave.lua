-- Gives all of my tickets back whose number is at most this one, but for some.
-- ARGV: me, channels, name, number, the last sequence number, and what stays: numbers, or the requests of tickets that are
-- not known yet.
if late(ARGV[5]) then
  return {} -- there may be others by now that stay
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
