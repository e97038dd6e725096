CREATE INDEX "raid_newcomers_of_person" ON "raid_newcomers" USING btree ("platform_id");--> statement-breakpoint
CREATE INDEX "raid_newcomers_erased" ON "raid_newcomers" USING btree ("status") WHERE name_key = '';--> statement-breakpoint
CREATE INDEX "guild_acts_of_executor" ON "guild_acts" USING btree ("executor_id");--> statement-breakpoint
CREATE INDEX "guild_acts_of_target" ON "guild_acts" USING btree ("target_id");--> statement-breakpoint
CREATE INDEX "incident_executors_of_person" ON "incident_executors" USING btree ("platform_id");