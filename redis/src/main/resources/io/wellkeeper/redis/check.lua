-- What has become of tickets. KEYS[2], ...: the queue of each. ARGV: me, channels, ticket, ticket, ...
-- Returns for each the milliseconds left to its session; 0 if it is gone; less than 0 if it is mine, and the last in the queue
-- is not. Returns nothing if my session has ended: then an absent ticket proves nothing, because the server may have lost its
-- data. The first is for my session itself.
local answer = { lease(me) }
if answer[1] == 0 then
  return {}
end
for i = 3, #ARGV do
  local there = redis.pcall('ZSCORE', KEYS[i - 1], ARGV[i]) -- if it is no queue any more, that is the loss of one lock
  local left = type(there) == 'string' and lease(owner(ARGV[i])) or 0
  if left > 0 and owner(ARGV[i]) == me and owner(redis.call('ZRANGE', KEYS[i - 1], -1, -1)[1]) ~= me then
    left = -left
  end
  answer[#answer + 1] = left
end
return answer
