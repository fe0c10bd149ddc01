-- Takes a lock, or keeps it, as an RLock of Redisson.
-- KEYS[1]: the lock, a hash: owner -> how often he holds it. ARGV: owner, milliseconds. Returns 1 if it is his.
if redis.call('EXISTS', KEYS[1]) == 1 then
  if redis.pcall('HEXISTS', KEYS[1], ARGV[1]) ~= 1 then -- if it is no hash, it is somebody else's too
    return { 0 }
  end
else
  redis.call('HSET', KEYS[1], ARGV[1], '1')
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return { 1 }
