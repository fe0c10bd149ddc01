-- Keeps a lock for longer. KEYS: as lease-acquire.lua. ARGV: owner, milliseconds, how long the hash is kept.
-- Returns 1 if it is the owner's.
if redis.pcall('GET', KEYS[1]) ~= ARGV[1] then
  return { 0 }
end
prolong(KEYS[1], ARGV[2])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
return { 1 }
