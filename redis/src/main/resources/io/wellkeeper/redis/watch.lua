-- Watches tickets. ARGV: me, channels, name, sequence number, ticket, ticket, ...
-- Returns for each ticket the milliseconds left to its session; 0 if the ticket is gone.
-- Returns nothing if my session has ended.
local answer = {}
if lease(me) == 0 then
  return answer
end
if not late(ARGV[4]) then
  redis.call('HSET', sequences, me, ARGV[4])
end
for i = 5, #ARGV do
  local left = 0
  if redis.call('ZSCORE', queue, ARGV[i]) then
    left = lease(owner(ARGV[i]))
    if left > 0 then
      enlist('w' .. ARGV[i], me)
    end
  end
  answer[#answer + 1] = left
end
return answer
