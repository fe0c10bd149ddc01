-- Ends a session. ARGV: me, channels.
redis.call('ZREM', sessions, me)
redis.call('HDEL', sequences, me)
outlast()
return {}
