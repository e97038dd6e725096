CREATE TABLE "ledger_balances" (
	"user_id" uuid NOT NULL,
	"currency" text NOT NULL,
	"balance_cents" bigint NOT NULL,
	CONSTRAINT "ledger_balances_user_id_currency_pk" PRIMARY KEY("user_id","currency")
);
--> statement-breakpoint
CREATE TABLE "ledger_postings" (
	"seq" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "ledger_postings_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"id" uuid NOT NULL,
	"transaction_id" uuid NOT NULL,
	"account" text NOT NULL,
	"user_id" uuid,
	"amount_cents" bigint NOT NULL,
	"currency" text NOT NULL,
	"balance_cents" bigint
);
--> statement-breakpoint
CREATE TABLE "ledger_transactions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"type" text NOT NULL,
	"reference" text NOT NULL,
	"once_key" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "ledger_transactions_onceKey_unique" UNIQUE("once_key")
);
--> statement-breakpoint
CREATE TABLE "billing_charges" (
	"charge_id" text PRIMARY KEY NOT NULL,
	"customer_id" text,
	"user_id" uuid,
	"currency" text NOT NULL,
	"refunded_cents" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "billing_customers" (
	"customer_id" text PRIMARY KEY NOT NULL,
	"user_id" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "billing_events" (
	"id" uuid PRIMARY KEY NOT NULL,
	"provider" text NOT NULL,
	"provider_event_id" text NOT NULL,
	"type" text NOT NULL,
	"outcome" text NOT NULL,
	"user_id" uuid,
	"subject_ref" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "billing_events_once" UNIQUE("provider","provider_event_id")
);
--> statement-breakpoint
CREATE TABLE "billing_invoices" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"plan" text NOT NULL,
	"pay_with" text NOT NULL,
	"amount_cents" bigint NOT NULL,
	"currency" text NOT NULL,
	"provider_ref" text NOT NULL,
	"pay_url" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"paid_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "billing_notices" (
	"id" uuid PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"subject" text NOT NULL,
	"user_id" uuid NOT NULL,
	"subscription_id" uuid NOT NULL,
	"sent_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "billing_notices_once" UNIQUE("kind","subject")
);
--> statement-breakpoint
CREATE TABLE "subscriptions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"provider" text NOT NULL,
	"provider_ref" text NOT NULL,
	"customer_id" text,
	"user_id" uuid,
	"facts" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"plan" text DEFAULT 'FREE' NOT NULL,
	"status" text DEFAULT 'INCOMPLETE' NOT NULL,
	"current_period_end" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"is_trial" boolean DEFAULT false NOT NULL,
	"trial_ends_at" timestamp (3) with time zone,
	"cancelled_at" timestamp (3) with time zone,
	"changes_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "subscriptions_providerRef_unique" UNIQUE("provider_ref")
);
--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "email" text;--> statement-breakpoint
ALTER TABLE "ledger_postings" ADD CONSTRAINT "ledger_postings_transaction_id_ledger_transactions_id_fk" FOREIGN KEY ("transaction_id") REFERENCES "public"."ledger_transactions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "billing_charges" ADD CONSTRAINT "billing_charges_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "billing_customers" ADD CONSTRAINT "billing_customers_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "billing_invoices" ADD CONSTRAINT "billing_invoices_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "billing_notices" ADD CONSTRAINT "billing_notices_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "billing_notices" ADD CONSTRAINT "billing_notices_subscription_id_subscriptions_id_fk" FOREIGN KEY ("subscription_id") REFERENCES "public"."subscriptions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "ledger_postings_of_transaction" ON "ledger_postings" USING btree ("transaction_id");--> statement-breakpoint
CREATE INDEX "ledger_postings_of_user" ON "ledger_postings" USING btree ("user_id","seq");--> statement-breakpoint
CREATE INDEX "billing_charges_of_user" ON "billing_charges" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "billing_charges_waiting" ON "billing_charges" USING btree ("customer_id") WHERE user_id is null;--> statement-breakpoint
CREATE INDEX "billing_customers_of_user" ON "billing_customers" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "billing_events_of_user" ON "billing_events" USING btree ("user_id","created_at","id");--> statement-breakpoint
CREATE INDEX "billing_events_waiting" ON "billing_events" USING btree ("subject_ref") WHERE outcome = 'UNMATCHED';--> statement-breakpoint
CREATE INDEX "billing_invoices_of_user" ON "billing_invoices" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "billing_notices_of_user" ON "billing_notices" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "billing_notices_of_subscription" ON "billing_notices" USING btree ("subscription_id");--> statement-breakpoint
CREATE INDEX "subscriptions_of_user" ON "subscriptions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "subscriptions_waiting" ON "subscriptions" USING btree ("customer_id") WHERE user_id is null;--> statement-breakpoint
CREATE INDEX "subscriptions_to_change" ON "subscriptions" USING btree ("changes_at");--> statement-breakpoint
-- Looked at when the transaction commits: until then its postings come one by one.
CREATE FUNCTION ledger_adds_up() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  moved uuid := coalesce(NEW.transaction_id, OLD.transaction_id);
BEGIN
  IF EXISTS (
    SELECT FROM ledger_postings WHERE transaction_id = moved
    GROUP BY currency HAVING sum(amount_cents) <> 0
  ) THEN
    RAISE EXCEPTION 'The postings of ledger transaction % do not add up to nothing', moved
      USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_adds_up';
  END IF;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE CONSTRAINT TRIGGER ledger_adds_up AFTER INSERT OR UPDATE OR DELETE ON ledger_postings
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION ledger_adds_up();
