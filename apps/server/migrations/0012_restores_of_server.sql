DROP INDEX "restores_of_server";--> statement-breakpoint
CREATE INDEX "restores_of_server" ON "restores" USING btree ("server_id","created_at","id");