CREATE TABLE "raised_checks" (
	"server_id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"captcha_type" text NOT NULL,
	"min_account_age_days" integer NOT NULL,
	"until" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "raised_checks" ADD CONSTRAINT "raised_checks_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;