-- Watches a notice, and shows all watches of this name. The row is made, so that it can be locked.
INSERT INTO {lock} (name, token, watches) VALUES (:name, 0, CONCAT(' 0:0:', :me, ' '))
ON DUPLICATE KEY UPDATE
  watches = IF(LOCATE(CONCAT(' 0:0:', :me, ' '), watches) > 0, watches, CONCAT(watches, '0:0:', :me, ' '));
SELECT watches FROM {lock} WHERE name = :name
