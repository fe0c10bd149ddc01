-- Clears the messages to a session, but the one that it has ended.
DELETE FROM {inbox} WHERE session = :me AND text <> 'x'
