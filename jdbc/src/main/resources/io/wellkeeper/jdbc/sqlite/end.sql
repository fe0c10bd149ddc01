-- Ends a session; its tickets are no living ones from now on.
DELETE FROM {session} WHERE id = :me;
DELETE FROM {watch} WHERE session = :me;
DELETE FROM {inbox} WHERE session = :me
