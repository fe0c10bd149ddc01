-- Watches the notice no more. ARGV: me, channels, name.
strike('o', me)
return {}
