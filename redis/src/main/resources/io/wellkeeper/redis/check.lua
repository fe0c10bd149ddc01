-- What has become of tickets. KEYS[2], ...: the queue of each. ARGV: me, channels, ticket, ticket, ...
-- Returns for each the milliseconds left to its session; 0 if it is gone. Returns nothing if my session has ended: then an
-- absent ticket proves nothing, because the server may have lost its data. The first is for my session itself.
local answer = { lease(me) }
if answer[1] == 0 then
  return {}
end
for i = 3, #ARGV do
  local there = redis.call('ZSCORE', KEYS[i - 1], ARGV[i])
  answer[#answer + 1] = there and lease(owner(ARGV[i])) or 0
end
return answer
