-- step: expand
ALTER TABLE "incidents" ADD COLUMN "backup_id" uuid;--> statement-breakpoint
ALTER TABLE "incidents" ADD COLUMN "held_backup_id" uuid;--> statement-breakpoint
ALTER TABLE "incidents" ADD CONSTRAINT "incidents_held_backup_id_backups_id_fk" FOREIGN KEY ("held_backup_id") REFERENCES "public"."backups"("id") ON DELETE no action ON UPDATE no action NOT VALID;