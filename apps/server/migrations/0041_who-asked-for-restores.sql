-- step: expand
ALTER TABLE "restores" ADD COLUMN "asked_by" jsonb;