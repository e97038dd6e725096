CREATE TABLE "live_guilds" (
	"server_id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"guild_id" text NOT NULL,
	"is_in_guild" boolean NOT NULL,
	"channel_ids" jsonb NOT NULL,
	"role_ids" jsonb NOT NULL,
	"managed_role_ids" jsonb NOT NULL,
	"seen_at" timestamp (3) with time zone NOT NULL,
	"changed_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "backups" ADD COLUMN "health" text DEFAULT 'UNKNOWN' NOT NULL;--> statement-breakpoint
ALTER TABLE "backups" ADD COLUMN "structure" jsonb;--> statement-breakpoint
ALTER TABLE "backups" ADD COLUMN "accepted_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "servers" ADD COLUMN "restore_roles_on_rejoin" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "servers" ADD COLUMN "health" text DEFAULT 'UNKNOWN' NOT NULL;--> statement-breakpoint
ALTER TABLE "servers" ADD COLUMN "health_reasons" jsonb DEFAULT '[{"code":"NO_GOOD_BACKUP"}]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "servers" ADD COLUMN "last_good_backup_id" uuid;--> statement-breakpoint
ALTER TABLE "live_guilds" ADD CONSTRAINT "live_guilds_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "backups_accepting" ON "backups" USING btree ("server_id") WHERE accepted_at is not null and status in ('queued', 'running');--> statement-breakpoint
UPDATE "backups" SET "health" = 'DAMAGED' WHERE "suspicious";--> statement-breakpoint
UPDATE "servers" SET "last_good_backup_id" = (
	SELECT "id" FROM "backups"
	WHERE "server_id" = "servers"."id" AND "account_id" = "servers"."account_id"
		AND "status" = 'completed' AND "kind" NOT IN ('PRE_RESTORE', 'MARKETPLACE') AND NOT "suspicious"
		AND "components" @> '["roles", "channels"]'
	ORDER BY "created_at" DESC, "id" DESC LIMIT 1
) WHERE "deleted_at" IS NULL;
