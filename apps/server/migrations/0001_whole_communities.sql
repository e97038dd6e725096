CREATE TABLE "pull_member_roles" (
	"pull_id" uuid NOT NULL,
	"seq" integer NOT NULL,
	"member_id" uuid NOT NULL,
	"nick" text,
	"role_ids" jsonb NOT NULL,
	CONSTRAINT "pull_member_roles_pull_id_seq_pk" PRIMARY KEY("pull_id","seq")
);
--> statement-breakpoint
CREATE TABLE "pull_recalls" (
	"id" uuid PRIMARY KEY NOT NULL,
	"pull_id" uuid NOT NULL,
	"account_id" uuid NOT NULL,
	"claimed_until" timestamp (3) with time zone,
	"code" text,
	"seal_key_id" text,
	"guild_id" text,
	"members" integer DEFAULT 0 NOT NULL,
	"members_hash" text,
	"expires_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "restore_posts" (
	"restore_id" uuid NOT NULL,
	"place_id" text NOT NULL,
	"channel_id" text NOT NULL,
	"status" text DEFAULT 'planned' NOT NULL,
	"total" integer NOT NULL,
	"posted" integer DEFAULT 0 NOT NULL,
	"failed" integer DEFAULT 0 NOT NULL,
	"found" integer,
	"new_id" text,
	"last_old_id" text,
	"last_posted_id" text,
	"last_new_id" text,
	"begun_id" text,
	"pins" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"webhook_ids" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"error" text,
	CONSTRAINT "restore_posts_restore_id_place_id_pk" PRIMARY KEY("restore_id","place_id")
);
--> statement-breakpoint
CREATE TABLE "restored_ids" (
	"account_id" uuid NOT NULL,
	"sort" text NOT NULL,
	"old_id" text NOT NULL,
	"new_id" text NOT NULL,
	"server_id" uuid NOT NULL,
	"guild_id" text NOT NULL,
	"restore_id" uuid NOT NULL,
	"is_created" boolean NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "restored_ids_account_id_sort_old_id_new_id_pk" PRIMARY KEY("account_id","sort","old_id","new_id")
);
--> statement-breakpoint
ALTER TABLE "bots" ADD COLUMN "intents" jsonb;--> statement-breakpoint
ALTER TABLE "pulls" ADD COLUMN "restore_roles" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "pulls" ADD COLUMN "allow_dangerous_roles" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "pulls" ADD COLUMN "roles_from_backup_id" uuid;--> statement-breakpoint
ALTER TABLE "pulls" ADD COLUMN "saved_roles" jsonb;--> statement-breakpoint
ALTER TABLE "pulls" ADD COLUMN "unrestored" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "pulls" ADD COLUMN "roles_refused" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "pulls" ADD COLUMN "expected_total" integer;--> statement-breakpoint
ALTER TABLE "pulls" ADD COLUMN "expected_seconds_per_member" double precision;--> statement-breakpoint
ALTER TABLE "restore_steps" ADD COLUMN "failure" jsonb;--> statement-breakpoint
ALTER TABLE "restores" ADD COLUMN "mode" text DEFAULT 'REPLACE' NOT NULL;--> statement-breakpoint
ALTER TABLE "restores" ADD COLUMN "delete_extra" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "restores" ADD COLUMN "resumes_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "restores" ADD COLUMN "notes" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "restores" ADD COLUMN "webhooks_shown_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "servers" ADD COLUMN "missing_role_id" text;--> statement-breakpoint
ALTER TABLE "servers" ADD COLUMN "missing_channel_id" text;--> statement-breakpoint
ALTER TABLE "pull_member_roles" ADD CONSTRAINT "pull_member_roles_member_id_members_id_fk" FOREIGN KEY ("member_id") REFERENCES "public"."members"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pull_member_roles" ADD CONSTRAINT "pull_member_roles_pull_id_seq_pull_members_pull_id_seq_fk" FOREIGN KEY ("pull_id","seq") REFERENCES "public"."pull_members"("pull_id","seq") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pull_recalls" ADD CONSTRAINT "pull_recalls_pull_id_pulls_id_fk" FOREIGN KEY ("pull_id") REFERENCES "public"."pulls"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "restore_posts" ADD CONSTRAINT "restore_posts_restore_id_restores_id_fk" FOREIGN KEY ("restore_id") REFERENCES "public"."restores"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "restored_ids" ADD CONSTRAINT "restored_ids_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "pull_member_roles_member" ON "pull_member_roles" USING btree ("member_id");--> statement-breakpoint
CREATE UNIQUE INDEX "pull_recalls_pull" ON "pull_recalls" USING btree ("pull_id");--> statement-breakpoint
CREATE INDEX "pull_recalls_seal_key" ON "pull_recalls" USING btree ("seal_key_id","id");--> statement-breakpoint
CREATE INDEX "pull_recalls_expires" ON "pull_recalls" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "restored_ids_by_new_id" ON "restored_ids" USING btree ("account_id","sort","new_id");--> statement-breakpoint
CREATE INDEX "restored_ids_of_server" ON "restored_ids" USING btree ("server_id","created_at");--> statement-breakpoint
CREATE INDEX "restored_ids_of_restore" ON "restored_ids" USING btree ("restore_id");--> statement-breakpoint
CREATE INDEX "pull_members_token_invalid" ON "pull_members" USING btree ("pull_id","seq") WHERE result = 'tokenInvalid';