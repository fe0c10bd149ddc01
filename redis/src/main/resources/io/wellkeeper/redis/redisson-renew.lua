-- Keeps a lock for longer. KEYS, ARGV and answer: as redisson-acquire.lua.
if redis.pcall('HEXISTS', KEYS[1], ARGV[1]) ~= 1 then
  return { 0 }
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return { 1 }
