-- A process waits no more. ARGV: its name in the queue, the channel on which Redisson tells of releases, and the
-- command by which it does so.
local place = redis.call('LPOS', queue, ARGV[1])
if place then
  shorten(place + 1)
  redis.call('LREM', queue, 1, ARGV[1])
  redis.call('ZREM', patience, ARGV[1])
  local first = head()
  if place == 0 and first and redis.call('EXISTS', lock) == 0 then -- perhaps only the process that leaves was told
    wake(first, ARGV[2], ARGV[3])
  end
end
return {}
