-- Gives a database with the last schema of the development versions the names of version 1.0.0. No row is
-- changed, so it takes as long as it takes to get the locks.
ALTER TABLE "users" RENAME TO "accounts";--> statement-breakpoint
ALTER TABLE "verification_passages" RENAME TO "pending_verifications";--> statement-breakpoint
ALTER TABLE "verification_grants" RENAME TO "role_assignments";--> statement-breakpoint
ALTER TABLE "verification_traces" RENAME TO "identity_hashes";--> statement-breakpoint
ALTER TABLE "restores" RENAME COLUMN "groundwork" TO "plan";--> statement-breakpoint
ALTER TABLE "pulls" RENAME COLUMN "frozen_at" TO "selected_at";--> statement-breakpoint
CREATE FUNCTION pg_temp.final_name(name text) RETURNS text LANGUAGE sql AS $$
  SELECT replace(replace(replace(replace(replace(replace(name,
    'user_id', 'account_id'), 'users', 'accounts'), '_of_user', '_of_account'),
    'verification_passages', 'pending_verifications'), 'verification_grants', 'role_assignments'),
    'verification_traces', 'identity_hashes')
$$;--> statement-breakpoint
DO $$
DECLARE
  item record;
BEGIN
  FOR item IN
    SELECT table_name, column_name FROM information_schema.columns
    WHERE table_schema = 'public' AND column_name IN ('user_id', 'people_of_user_id')
  LOOP
    EXECUTE format('ALTER TABLE %I RENAME COLUMN %I TO %I', item.table_name, item.column_name,
      pg_temp.final_name(item.column_name));
  END LOOP;
  FOR item IN
    SELECT conrelid::regclass AS table_name, conname AS old_name FROM pg_constraint
    WHERE connamespace = 'public'::regnamespace
  LOOP
    IF pg_temp.final_name(item.old_name) <> item.old_name THEN
      EXECUTE format('ALTER TABLE %s RENAME CONSTRAINT %I TO %I', item.table_name, item.old_name,
        pg_temp.final_name(item.old_name));
    END IF;
  END LOOP;
  FOR item IN SELECT indexname AS old_name FROM pg_indexes WHERE schemaname = 'public' LOOP
    IF pg_temp.final_name(item.old_name) <> item.old_name THEN
      EXECUTE format('ALTER INDEX %I RENAME TO %I', item.old_name, pg_temp.final_name(item.old_name));
    END IF;
  END LOOP;
END $$;--> statement-breakpoint
DROP FUNCTION pg_temp.final_name(text);
