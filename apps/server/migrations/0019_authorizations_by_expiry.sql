DROP INDEX "verification_authorizations_server";--> statement-breakpoint
CREATE INDEX "verification_authorizations_server" ON "verification_authorizations" USING btree ("server_id","expires_at");