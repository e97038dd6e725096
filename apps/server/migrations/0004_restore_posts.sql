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
	"last_new_id" text,
	"begun_id" text,
	"pins" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"webhook_ids" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"error" text,
	CONSTRAINT "restore_posts_restore_id_place_id_pk" PRIMARY KEY("restore_id","place_id")
);
--> statement-breakpoint
ALTER TABLE "restore_posts" ADD CONSTRAINT "restore_posts_restore_id_restores_id_fk" FOREIGN KEY ("restore_id") REFERENCES "public"."restores"("id") ON DELETE cascade ON UPDATE no action;