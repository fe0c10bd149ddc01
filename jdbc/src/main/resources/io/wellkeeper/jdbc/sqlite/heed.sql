-- Watches a notice.
INSERT OR IGNORE INTO {watch} (name, number, generation, session) SELECT :name, 0, 0, id FROM {session} WHERE id = :me
