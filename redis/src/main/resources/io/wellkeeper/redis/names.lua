-- The names of locks in use. KEYS[2]: as KEYS[4] of queue.lua. ARGV: me, channels.
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', text(now))
return redis.call('ZRANGE', KEYS[2], 0, -1)
