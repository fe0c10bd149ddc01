-- Keeps a ticket, and the session that it belongs to, until the end of the transaction. It locks only entries of the
-- two indexes, which nothing but a removal or the end of the session touches.
SELECT 1 FROM {ticket} t FORCE INDEX (by_request) JOIN {session} s FORCE INDEX (life) ON s.id = t.session AND s.ended = 0
WHERE t.session = :owner AND t.request = :request AND t.name = :name AND t.number = :number LOCK IN SHARE MODE
