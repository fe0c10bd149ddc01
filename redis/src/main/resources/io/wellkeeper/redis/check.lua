-- What has become of tickets. KEYS[2], ...: the queue of each. ARGV: me, channels, ticket, ticket, ...
-- Returns first the milliseconds left to my session; then for each ticket the milliseconds left to its session; 0 if
-- the ticket is gone; less than 0 if the ticket is mine and the last ticket in the queue is not.
-- Returns nothing if my session has ended: then an absent ticket proves nothing, because the server may have lost its
-- data.
local answer = { lease(me) }
if answer[1] == 0 then
  return {}
end
for i = 3, #ARGV do
  local there = redis.pcall('ZSCORE', KEYS[i - 1], ARGV[i]) -- a key that is no queue any more costs one lock only
  local left = type(there) == 'string' and lease(owner(ARGV[i])) or 0
  if left > 0 and owner(ARGV[i]) == me and owner(redis.call('ZRANGE', KEYS[i - 1], -1, -1)[1]) ~= me then
    left = -left
  end
  answer[#answer + 1] = left
end
return answer
