-- Begins a session. ARGV: me, channels, milliseconds of its lease, how long idle keys are kept. Returns its deadline.
local deadline = text(now + ARGV[3])
redis.call('ZADD', sessions, deadline, me)
redis.call('PEXPIRE', sessions, ARGV[4])
return { deadline }
