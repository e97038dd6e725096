ALTER TABLE "device_authorizations" ADD COLUMN "site" text;--> statement-breakpoint
CREATE INDEX "device_authorizations_of_site" ON "device_authorizations" USING btree ("site");