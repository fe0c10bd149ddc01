-- Ends a session. KEYS[2]: as KEYS[5] of take.lua. ARGV: me, channels.
redis.call('ZREM', sessions, me)
redis.call('HDEL', KEYS[2], me)
return {}
