CREATE TABLE "guild_acts" (
	"server_id" uuid NOT NULL,
	"account_id" uuid NOT NULL,
	"guild_id" text NOT NULL,
	"entry_id" text NOT NULL,
	"executor_id" text NOT NULL,
	"kind" text NOT NULL,
	"action" text NOT NULL,
	"target_id" text,
	"before" jsonb,
	"after" jsonb,
	"at" timestamp (3) with time zone NOT NULL,
	"incident_id" uuid,
	CONSTRAINT "guild_acts_server_id_entry_id_pk" PRIMARY KEY("server_id","entry_id")
);
--> statement-breakpoint
CREATE TABLE "incident_executors" (
	"incident_id" uuid NOT NULL,
	"platform_id" text NOT NULL,
	"username" text NOT NULL,
	"is_bot" boolean NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"code" text,
	"roles_before" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"roles_taken" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"stopped_at" timestamp (3) with time zone,
	"return_status" text,
	"returned_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "incident_executors_incident_id_platform_id_pk" PRIMARY KEY("incident_id","platform_id")
);
--> statement-breakpoint
CREATE TABLE "incident_steps" (
	"incident_id" uuid NOT NULL,
	"seq" integer NOT NULL,
	"kind" text NOT NULL,
	"executor_id" text,
	"status" text DEFAULT 'begun' NOT NULL,
	"detail" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp (3) with time zone,
	CONSTRAINT "incident_steps_incident_id_seq_pk" PRIMARY KEY("incident_id","seq")
);
--> statement-breakpoint
CREATE TABLE "incidents" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"server_id" uuid NOT NULL,
	"guild_id" text NOT NULL,
	"kind" text NOT NULL,
	"status" text DEFAULT 'open' NOT NULL,
	"trigger" jsonb NOT NULL,
	"first_act_at" timestamp (3) with time zone NOT NULL,
	"detected_at" timestamp (3) with time zone NOT NULL,
	"contained_at" timestamp (3) with time zone,
	"invites_paused_until" timestamp (3) with time zone,
	"snapshot_backup_id" uuid,
	"repair_restore_id" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "protection_settings" (
	"server_id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"thresholds" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"raid" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"auto_repair" boolean DEFAULT false NOT NULL,
	"trusted" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"disable_delay_minutes" integer DEFAULT 0 NOT NULL,
	"pending" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "guild_acts" ADD CONSTRAINT "guild_acts_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "guild_acts" ADD CONSTRAINT "guild_acts_incident_id_incidents_id_fk" FOREIGN KEY ("incident_id") REFERENCES "public"."incidents"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "incident_executors" ADD CONSTRAINT "incident_executors_incident_id_incidents_id_fk" FOREIGN KEY ("incident_id") REFERENCES "public"."incidents"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "incident_steps" ADD CONSTRAINT "incident_steps_incident_id_incidents_id_fk" FOREIGN KEY ("incident_id") REFERENCES "public"."incidents"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "incidents" ADD CONSTRAINT "incidents_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "protection_settings" ADD CONSTRAINT "protection_settings_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "guild_acts_by_time" ON "guild_acts" USING btree ("server_id","at");--> statement-breakpoint
CREATE INDEX "guild_acts_of_incident" ON "guild_acts" USING btree ("incident_id","at") WHERE incident_id is not null;--> statement-breakpoint
CREATE INDEX "guild_acts_to_purge" ON "guild_acts" USING btree ("at") WHERE incident_id is null;--> statement-breakpoint
CREATE UNIQUE INDEX "incidents_open_on_server" ON "incidents" USING btree ("server_id","kind") WHERE status = 'open';--> statement-breakpoint
CREATE INDEX "incidents_of_server" ON "incidents" USING btree ("server_id","created_at","id");