CREATE TABLE "mass_verifications" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"server_id" uuid NOT NULL,
	"guild_id" text NOT NULL,
	"bot_id" uuid NOT NULL,
	"verified_role_id" text NOT NULL,
	"joined_before" timestamp (3) with time zone,
	"role_id" text,
	"status" text DEFAULT 'queued' NOT NULL,
	"total" integer DEFAULT 0 NOT NULL,
	"processed" integer DEFAULT 0 NOT NULL,
	"given" integer DEFAULT 0 NOT NULL,
	"already" integer DEFAULT 0 NOT NULL,
	"failed" integer DEFAULT 0 NOT NULL,
	"is_counted" boolean DEFAULT false NOT NULL,
	"after_id" text,
	"attempted_id" text,
	"is_cancel_requested" boolean DEFAULT false NOT NULL,
	"error" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp (3) with time zone,
	"completed_at" timestamp (3) with time zone,
	CONSTRAINT "mass_verifications_results_add_up" CHECK (given + already + failed = processed)
);
--> statement-breakpoint
ALTER TABLE "mass_verifications" ADD CONSTRAINT "mass_verifications_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "mass_verifications_active_of_server" ON "mass_verifications" USING btree ("server_id") WHERE status in ('queued', 'running');--> statement-breakpoint
CREATE INDEX "mass_verifications_of_server" ON "mass_verifications" USING btree ("server_id","created_at","id");