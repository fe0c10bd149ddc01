-- Sends a message to a session, and rings its bell.
INSERT INTO {inbox} (session, text, since) VALUES (:told, :text, UTC_TIMESTAMP(6));
SET @told = :told;
{ringing}
