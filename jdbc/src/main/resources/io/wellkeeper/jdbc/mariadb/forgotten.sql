-- Deletes the messages to a session, except the message that the session has ended.
DELETE FROM {inbox} WHERE session = :me AND text <> 'x'
