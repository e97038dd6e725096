-- step: expand
CREATE INDEX CONCURRENTLY "backups_to_prove" ON "backups" USING btree ("proved_at") WHERE status = 'completed';