-- step: expand
CREATE INDEX CONCURRENTLY "incidents_held_backup" ON "incidents" USING btree ("held_backup_id") WHERE held_backup_id is not null;
