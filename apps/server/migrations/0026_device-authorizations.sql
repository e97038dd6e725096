CREATE TABLE "device_authorizations" (
	"id" uuid PRIMARY KEY NOT NULL,
	"device_code_hash" text NOT NULL,
	"user_code" text NOT NULL,
	"status" text DEFAULT 'PENDING' NOT NULL,
	"machine" text,
	"address" text NOT NULL,
	"network" text NOT NULL,
	"scopes" text[] NOT NULL,
	"account_id" uuid,
	"session_id" uuid,
	"key_days" integer,
	"interval_seconds" integer NOT NULL,
	"last_polled_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "device_authorizations_device_code" UNIQUE("device_code_hash"),
	CONSTRAINT "device_authorizations_user_code" UNIQUE("user_code")
);
--> statement-breakpoint
ALTER TABLE "device_authorizations" ADD CONSTRAINT "device_authorizations_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "device_authorizations_of_network" ON "device_authorizations" USING btree ("network");--> statement-breakpoint
CREATE INDEX "device_authorizations_of_account" ON "device_authorizations" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "device_authorizations_expiry" ON "device_authorizations" USING btree ("expires_at");