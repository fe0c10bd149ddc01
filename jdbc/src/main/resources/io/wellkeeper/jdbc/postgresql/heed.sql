-- Watches a notice. The row is made, so that it can be locked.
INSERT INTO {lock} AS l (name, token) VALUES (:name, 0) ON CONFLICT (name) DO UPDATE SET token = l.token;
INSERT INTO {watch} (name, number, generation, session)
SELECT :name, 0, 0, id FROM {session} WHERE id = :me
ON CONFLICT DO NOTHING
