-- Gives a lock back. KEYS: as lease-acquire.lua. ARGV: owner, the channel of the waiters. Returns 1 if it was the
-- owner's.
if redis.pcall('GET', KEYS[1]) ~= ARGV[1] then
  return { 0 }
end
redis.call('DEL', KEYS[1])
if redis.call('HDEL', KEYS[2], 'w') == 1 then
  redis.call('PUBLISH', ARGV[2], KEYS[1])
end
redis.call('HDEL', KEYS[2], 'o', 'm')
return { 1 }
