CREATE TABLE "drills" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"server_id" uuid NOT NULL,
	"status" text DEFAULT 'queued' NOT NULL,
	"is_scheduled" boolean NOT NULL,
	"result" jsonb,
	"error" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"completed_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "drills" ADD CONSTRAINT "drills_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "drills_active_on_server" ON "drills" USING btree ("server_id") WHERE status in ('queued', 'running');--> statement-breakpoint
CREATE INDEX "drills_of_server" ON "drills" USING btree ("server_id","created_at","id");