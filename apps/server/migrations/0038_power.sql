-- step: expand
ALTER TABLE "mass_verifications" ADD COLUMN "confirmed_power" text DEFAULT '0' NOT NULL;--> statement-breakpoint
ALTER TABLE "pulls" ADD COLUMN "confirmed_power" text DEFAULT '0' NOT NULL;--> statement-breakpoint
ALTER TABLE "servers" ADD COLUMN "confirmed_role" jsonb;--> statement-breakpoint
ALTER TABLE "servers" ADD COLUMN "withheld_roles" jsonb DEFAULT '{}'::jsonb NOT NULL;