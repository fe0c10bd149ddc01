-- Keeps a lock for longer; never for shorter, as this may come later than what was sent after it by another connection.
-- KEYS: as lease-acquire.lua. ARGV: owner, milliseconds, how long the hash is kept.
-- Returns 1 if it is the owner's.
if redis.pcall('GET', KEYS[1]) ~= ARGV[1] then
  return { 0 }
end
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
redis.call('PEXPIRE', KEYS[2], ARGV[3])
return { 1 }
