CREATE TABLE "panels" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"server_id" uuid NOT NULL,
	"channel_id" text NOT NULL,
	"title" text NOT NULL,
	"text" text NOT NULL,
	"color" integer NOT NULL,
	"button_text" text NOT NULL,
	"status" text DEFAULT 'MISSING' NOT NULL,
	"error" text,
	"message_id" text,
	"message_channel_id" text,
	"stale_message_id" text,
	"stale_channel_id" text,
	"post_id" uuid NOT NULL,
	"attempted_at" timestamp (3) with time zone,
	"attempt_channel_id" text,
	"is_due" boolean DEFAULT true NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "panels" ADD CONSTRAINT "panels_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "panels_of_server" ON "panels" USING btree ("server_id","created_at","id");