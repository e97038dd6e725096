CREATE TABLE "platform_refusals" (
	"account_id" uuid NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"total" integer NOT NULL,
	CONSTRAINT "platform_refusals_account_id_at_pk" PRIMARY KEY("account_id","at")
);
--> statement-breakpoint
ALTER TABLE "bots" ADD COLUMN "secret_refused_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "platform_refusals_age" ON "platform_refusals" USING btree ("at");