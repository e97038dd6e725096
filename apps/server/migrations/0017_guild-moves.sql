CREATE TABLE "guild_moves" (
	"server_id" uuid NOT NULL,
	"account_id" uuid NOT NULL,
	"type" text NOT NULL,
	"thing_id" text NOT NULL,
	"parent_id" text,
	"position" integer NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "guild_moves_server_id_type_thing_id_at_pk" PRIMARY KEY("server_id","type","thing_id","at")
);
--> statement-breakpoint
ALTER TABLE "guild_moves" ADD CONSTRAINT "guild_moves_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "guild_moves_by_time" ON "guild_moves" USING btree ("server_id","at");--> statement-breakpoint
CREATE INDEX "guild_moves_to_purge" ON "guild_moves" USING btree ("at");