CREATE TABLE "roll_calls" (
	"server_id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"bot_id" uuid NOT NULL,
	"guild_id" text NOT NULL,
	"number" integer NOT NULL,
	"wanted_at" timestamp (3) with time zone NOT NULL,
	"running_number" integer,
	"running_since" timestamp (3) with time zone,
	"after_id" text,
	"ended_number" integer DEFAULT 0 NOT NULL,
	"completed_since" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "seen_members" ADD COLUMN "joined_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "seen_members" ADD COLUMN "heard_in" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
-- Whether a server has moved before is not known: nobody who was verified before now counts as verified for its guild.
ALTER TABLE "servers" ADD COLUMN "guild_since" timestamp (3) with time zone DEFAULT now();--> statement-breakpoint
ALTER TABLE "servers" ALTER COLUMN "guild_since" DROP DEFAULT;--> statement-breakpoint
ALTER TABLE "roll_calls" ADD CONSTRAINT "roll_calls_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;