CREATE TABLE "seen_members" (
	"member_id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"server_id" uuid NOT NULL,
	"guild_id" text NOT NULL,
	"left_at" timestamp (3) with time zone,
	"returned_at" timestamp (3) with time zone,
	"role_ids" jsonb,
	"nick" text,
	"roles_seen_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "seen_members" ADD CONSTRAINT "seen_members_member_id_members_id_fk" FOREIGN KEY ("member_id") REFERENCES "public"."members"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "seen_members_returned" ON "seen_members" USING btree ("server_id","returned_at") WHERE "seen_members"."returned_at" is not null;