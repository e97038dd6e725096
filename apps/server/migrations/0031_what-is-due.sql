-- step: expand
CREATE INDEX CONCURRENTLY "backups_unrestorable" ON "backups" USING btree ("account_id") WHERE restorable is false;--> statement-breakpoint
CREATE INDEX CONCURRENTLY "guild_acts_passing" ON "guild_acts" USING btree ("at") WHERE incident_id is null and kind not in ('dangerousGrants', 'demotions', 'ownDemotions');--> statement-breakpoint
CREATE INDEX CONCURRENTLY "servers_to_back_up" ON "servers" USING btree ((case when deleted_at is null then coalesce(last_scheduled_at at time zone 'UTC', '-infinity'::timestamp) + make_interval(hours => (backup_schedule ->> 'everyHours')::int) end),"id");--> statement-breakpoint
CREATE INDEX CONCURRENTLY "servers_last_scheduled" ON "servers" USING btree ("last_scheduled_at") WHERE backup_schedule is not null and deleted_at is null;