-- Shows the queue. ARGV: me, channels, name.
return living()
