CREATE TABLE "raid_newcomers" (
	"server_id" uuid NOT NULL,
	"platform_id" text NOT NULL,
	"account_id" uuid NOT NULL,
	"incident_id" uuid,
	"username" text NOT NULL,
	"joined_at" timestamp (3) with time zone NOT NULL,
	"is_young" boolean NOT NULL,
	"has_picture" boolean NOT NULL,
	"name_key" text NOT NULL,
	"is_alike" boolean DEFAULT false NOT NULL,
	"score" integer NOT NULL,
	"status" text NOT NULL,
	"code" text,
	CONSTRAINT "raid_newcomers_server_id_platform_id_pk" PRIMARY KEY("server_id","platform_id")
);
--> statement-breakpoint
CREATE TABLE "raid_waves" (
	"incident_id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"server_id" uuid NOT NULL,
	"guild_id" text NOT NULL,
	"min_account_age_days" integer NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"last_join_at" timestamp (3) with time zone NOT NULL,
	"joins" integer NOT NULL,
	"newcomers" integer NOT NULL,
	"over_at" timestamp (3) with time zone,
	"decision" text,
	"decided_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "raid_newcomers" ADD CONSTRAINT "raid_newcomers_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "raid_newcomers" ADD CONSTRAINT "raid_newcomers_incident_id_raid_waves_incident_id_fk" FOREIGN KEY ("incident_id") REFERENCES "public"."raid_waves"("incident_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "raid_waves" ADD CONSTRAINT "raid_waves_incident_id_incidents_id_fk" FOREIGN KEY ("incident_id") REFERENCES "public"."incidents"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "raid_waves" ADD CONSTRAINT "raid_waves_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "raid_newcomers_recent" ON "raid_newcomers" USING btree ("server_id","joined_at") WHERE "raid_newcomers"."incident_id" is null;--> statement-breakpoint
CREATE INDEX "raid_newcomers_of_wave" ON "raid_newcomers" USING btree ("incident_id","status","platform_id") WHERE "raid_newcomers"."incident_id" is not null;--> statement-breakpoint
CREATE INDEX "raid_newcomers_names" ON "raid_newcomers" USING btree ("incident_id","name_key","is_alike") WHERE "raid_newcomers"."incident_id" is not null;--> statement-breakpoint
CREATE INDEX "raid_newcomers_to_forget" ON "raid_newcomers" USING btree ("joined_at") WHERE "raid_newcomers"."incident_id" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "raid_waves_live_on_server" ON "raid_waves" USING btree ("server_id") WHERE "raid_waves"."over_at" is null;--> statement-breakpoint
CREATE INDEX "raid_waves_live" ON "raid_waves" USING btree ("last_join_at") WHERE "raid_waves"."over_at" is null;--> statement-breakpoint
CREATE INDEX "raid_waves_of_server" ON "raid_waves" USING btree ("server_id");