-- Keeps a lock for longer. KEYS[1]: as in redisson-queue.lua. ARGV: owner, milliseconds. Returns 1 if it is the
-- owner's.
if redis.pcall('HEXISTS', KEYS[1], ARGV[1]) ~= 1 then
  return { 0 }
end
prolong(KEYS[1], ARGV[2])
return { 1 }
