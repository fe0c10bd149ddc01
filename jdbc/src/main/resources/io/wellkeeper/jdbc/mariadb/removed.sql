-- Tells the owner of a ticket that somebody else has given it back.
START TRANSACTION;
INSERT INTO {inbox} (session, text, since) VALUES (:owner, CONCAT('d', :ticket), UTC_TIMESTAMP(6));
SELECT :owner AS ring;
COMMIT
