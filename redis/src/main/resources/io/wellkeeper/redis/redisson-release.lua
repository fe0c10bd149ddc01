-- Gives a lock back. KEYS[1]: as redisson-acquire.lua. ARGV: owner, the channel on which Redisson says so, and how.
-- Returns 1 if it was his.
if redis.pcall('HEXISTS', KEYS[1], ARGV[1]) ~= 1 then
  return { 0 }
end
redis.call('DEL', KEYS[1])
redis.call(ARGV[3], ARGV[2], '0')
return { 1 }
