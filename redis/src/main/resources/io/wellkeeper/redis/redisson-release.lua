-- Gives a lock back. ARGV: owner, the channel on which Redisson tells of releases, and the command by which it does so.
-- Returns 1 if the lock was the owner's.
if redis.pcall('HEXISTS', lock, ARGV[1]) ~= 1 then
  return { 0 }
end
redis.call('DEL', lock)
redis.call(ARGV[3], ARGV[2], '0')
local first = head()
if first then
  wake(first, ARGV[2], ARGV[3])
end
return { 1 }
