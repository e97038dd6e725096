CREATE TABLE "backup_blobs" (
	"backup_id" uuid NOT NULL,
	"blob_id" uuid NOT NULL,
	CONSTRAINT "backup_blobs_backup_id_blob_id_pk" PRIMARY KEY("backup_id","blob_id")
);
--> statement-breakpoint
CREATE TABLE "backups" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"server_id" uuid NOT NULL,
	"name" text NOT NULL,
	"kind" text NOT NULL,
	"status" text DEFAULT 'queued' NOT NULL,
	"progress" integer DEFAULT 0 NOT NULL,
	"components" jsonb NOT NULL,
	"messages_per_channel" integer NOT NULL,
	"counts" jsonb DEFAULT '{"roles":0,"channels":0,"emojis":0,"stickers":0,"bans":0,"members":0,"messages":0}'::jsonb NOT NULL,
	"size_bytes" bigint DEFAULT 0 NOT NULL,
	"stored_bytes" bigint DEFAULT 0 NOT NULL,
	"checksum" text,
	"suspicious" boolean DEFAULT false NOT NULL,
	"restorable" boolean,
	"proved_at" timestamp (3) with time zone,
	"warnings" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"losses" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"error" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp (3) with time zone,
	"completed_at" timestamp (3) with time zone,
	"verified_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "blobs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"hash" text NOT NULL,
	"size_bytes" integer NOT NULL,
	"stored_bytes" integer NOT NULL,
	"is_stored" boolean DEFAULT false NOT NULL,
	"seal_key_id" text NOT NULL,
	"added_by" uuid NOT NULL,
	CONSTRAINT "blobs_hash_of_user" UNIQUE("user_id","hash")
);
--> statement-breakpoint
CREATE TABLE "storage_used" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"bytes" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "restore_steps" (
	"restore_id" uuid NOT NULL,
	"seq" integer NOT NULL,
	"stage" text NOT NULL,
	"after" jsonb NOT NULL,
	"action" jsonb NOT NULL,
	"type" text NOT NULL,
	"name" text NOT NULL,
	"effect" text NOT NULL,
	"status" text DEFAULT 'planned' NOT NULL,
	"created_id" text,
	"error" text,
	CONSTRAINT "restore_steps_restore_id_seq_pk" PRIMARY KEY("restore_id","seq")
);
--> statement-breakpoint
CREATE TABLE "restores" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"server_id" uuid NOT NULL,
	"backup_id" uuid NOT NULL,
	"held_backup_id" uuid,
	"components" jsonb NOT NULL,
	"status" text DEFAULT 'queued' NOT NULL,
	"steps_total" integer DEFAULT 0 NOT NULL,
	"steps_done" integer DEFAULT 0 NOT NULL,
	"steps_failed" integer DEFAULT 0 NOT NULL,
	"safety_backup_id" uuid,
	"groundwork" jsonb,
	"is_cancel_requested" boolean DEFAULT false NOT NULL,
	"warnings" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"error" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp (3) with time zone,
	"completed_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "backup_blobs" ADD CONSTRAINT "backup_blobs_backup_id_backups_id_fk" FOREIGN KEY ("backup_id") REFERENCES "public"."backups"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "backup_blobs" ADD CONSTRAINT "backup_blobs_blob_id_blobs_id_fk" FOREIGN KEY ("blob_id") REFERENCES "public"."blobs"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "backups" ADD CONSTRAINT "backups_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "blobs" ADD CONSTRAINT "blobs_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "storage_used" ADD CONSTRAINT "storage_used_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "restore_steps" ADD CONSTRAINT "restore_steps_restore_id_restores_id_fk" FOREIGN KEY ("restore_id") REFERENCES "public"."restores"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "restores" ADD CONSTRAINT "restores_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "restores" ADD CONSTRAINT "restores_held_backup_id_backups_id_fk" FOREIGN KEY ("held_backup_id") REFERENCES "public"."backups"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "backup_blobs_blob" ON "backup_blobs" USING btree ("blob_id");--> statement-breakpoint
CREATE INDEX "backups_of_server" ON "backups" USING btree ("server_id","created_at","id");--> statement-breakpoint
CREATE INDEX "backups_of_user" ON "backups" USING btree ("user_id","kind","status");--> statement-breakpoint
CREATE INDEX "backups_to_verify" ON "backups" USING btree ("verified_at") WHERE status = 'completed';--> statement-breakpoint
CREATE INDEX "blobs_added_by" ON "blobs" USING btree ("added_by");--> statement-breakpoint
CREATE INDEX "blobs_seal_key" ON "blobs" USING btree ("seal_key_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "restores_active_on_server" ON "restores" USING btree ("server_id") WHERE status in ('queued', 'snapshotting', 'running');--> statement-breakpoint
CREATE INDEX "restores_of_server" ON "restores" USING btree ("server_id");--> statement-breakpoint
CREATE INDEX "restores_held_backup" ON "restores" USING btree ("held_backup_id");