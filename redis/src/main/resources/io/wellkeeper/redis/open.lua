-- Begins a session. ARGV: me, channels, milliseconds of its lease. Returns its deadline.
local deadline = text(now + ARGV[3])
redis.call('ZADD', sessions, deadline, me)
outlast()
return { deadline }
