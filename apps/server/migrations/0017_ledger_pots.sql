CREATE TABLE "billing_disputes" (
	"dispute_id" text PRIMARY KEY NOT NULL,
	"charge_id" text,
	"payment_intent" text,
	"amount_cents" bigint NOT NULL,
	"currency" text NOT NULL,
	"state" text NOT NULL,
	"applied" text,
	"user_id" uuid,
	"held_cents" bigint DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "billing_payment_refs" (
	"ref" text PRIMARY KEY NOT NULL,
	"subscription_ref" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "ledger_balances" DROP CONSTRAINT "ledger_balances_user_id_currency_pk";--> statement-breakpoint
ALTER TABLE "ledger_postings" ADD COLUMN "pot" text;--> statement-breakpoint
-- From one balance to two pots. History is replayed for each holder: sales, fees, payouts, purchases and what
-- was taken back from sellers moved what they earned; refunds and late payments moved credit. Where credit had
-- paid for a purchase or a payout, one ADJUSTMENT at the end moves as much between the pots, so that both
-- together hold what the one balance held.
ALTER TABLE ledger_postings DISABLE TRIGGER ledger_adds_up;--> statement-breakpoint
UPDATE ledger_postings AS posting
SET pot = CASE
  WHEN moved.type = 'REFUND' AND posting.amount_cents >= 0 THEN 'CREDIT'
  WHEN moved.type = 'ADJUSTMENT' THEN 'CREDIT'
  ELSE 'EARNED'
END
FROM ledger_transactions AS moved
WHERE moved.id = posting.transaction_id AND posting.user_id IS NOT NULL;--> statement-breakpoint
UPDATE ledger_postings AS posting
SET balance_cents = running.cents
FROM (
  SELECT seq, sum(amount_cents) OVER (PARTITION BY user_id, currency, pot ORDER BY seq) AS cents
  FROM ledger_postings WHERE user_id IS NOT NULL
) AS running
WHERE running.seq = posting.seq;--> statement-breakpoint
DELETE FROM ledger_balances;--> statement-breakpoint
ALTER TABLE "ledger_balances" ADD COLUMN "pot" text NOT NULL;--> statement-breakpoint
ALTER TABLE "ledger_balances" ADD CONSTRAINT "ledger_balances_user_id_currency_pot_pk" PRIMARY KEY("user_id","currency","pot");--> statement-breakpoint
DO $$
DECLARE
  holder record;
  posting record;
  earned bigint;
  credit bigint;
  rest bigint;
  surplus bigint;
  moved uuid;
BEGIN
  FOR holder IN
    SELECT user_id, currency,
      coalesce(sum(amount_cents) FILTER (WHERE pot = 'EARNED'), 0) AS earned_cents,
      coalesce(sum(amount_cents) FILTER (WHERE pot = 'CREDIT'), 0) AS credit_cents
    FROM ledger_postings WHERE user_id IS NOT NULL GROUP BY user_id, currency
  LOOP
    earned := 0;
    credit := 0;
    FOR posting IN
      SELECT entry.pot, entry.amount_cents, type FROM ledger_postings AS entry
      JOIN ledger_transactions ON ledger_transactions.id = entry.transaction_id
      WHERE entry.user_id = holder.user_id AND entry.currency = holder.currency ORDER BY entry.seq
    LOOP
      IF posting.pot = 'CREDIT' AND posting.amount_cents >= 0 THEN
        credit := credit + posting.amount_cents;
      ELSIF posting.pot = 'CREDIT' THEN
        -- Credit that was taken back; what of it is spent by then came from what was earned.
        rest := greatest(0, -posting.amount_cents - credit);
        credit := credit + posting.amount_cents + rest;
        earned := earned - rest;
      ELSIF posting.type IN ('PURCHASE', 'PAYOUT') AND posting.amount_cents < 0 THEN
        rest := least(credit, greatest(0, -posting.amount_cents - greatest(0, earned)));
        credit := credit - rest;
        earned := earned + posting.amount_cents + rest;
      ELSE
        earned := earned + posting.amount_cents;
      END IF;
    END LOOP;
    surplus := holder.credit_cents - credit;
    IF surplus <> 0 THEN
      moved := gen_random_uuid();
      INSERT INTO ledger_transactions (id, type, reference, once_key)
      VALUES (moved, 'ADJUSTMENT', 'pots', 'pots:' || holder.user_id || ':' || holder.currency);
      INSERT INTO ledger_postings
        (id, transaction_id, account, user_id, pot, amount_cents, currency, balance_cents)
      VALUES
        (gen_random_uuid(), moved, 'user:' || holder.user_id, holder.user_id, 'CREDIT', -surplus,
          holder.currency, credit),
        (gen_random_uuid(), moved, 'user:' || holder.user_id, holder.user_id, 'EARNED', surplus,
          holder.currency, earned);
    END IF;
    INSERT INTO ledger_balances (user_id, currency, pot, balance_cents)
    SELECT holder.user_id, holder.currency, pot, cents
    FROM (VALUES ('CREDIT', credit), ('EARNED', earned)) AS pots (pot, cents)
    WHERE EXISTS (
      SELECT FROM ledger_postings AS entry
      WHERE entry.user_id = holder.user_id AND entry.currency = holder.currency AND entry.pot = pots.pot);
  END LOOP;
END $$;--> statement-breakpoint
ALTER TABLE ledger_postings ENABLE TRIGGER ledger_adds_up;--> statement-breakpoint
ALTER TABLE "billing_invoices" ALTER COLUMN "provider_ref" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "billing_invoices" ALTER COLUMN "pay_url" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "billing_charges" ADD COLUMN "payment_intent" text;--> statement-breakpoint
ALTER TABLE "order_payments" ADD COLUMN "late_state" text;--> statement-breakpoint
ALTER TABLE "order_payments" ADD COLUMN "returned_cents" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "checkout_ref" text;--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "is_disputed" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "billing_disputes_of_charge" ON "billing_disputes" USING btree ("charge_id");--> statement-breakpoint
CREATE INDEX "billing_disputes_of_intent" ON "billing_disputes" USING btree ("payment_intent");--> statement-breakpoint
CREATE INDEX "billing_payment_refs_of_subscription" ON "billing_payment_refs" USING btree ("subscription_ref");--> statement-breakpoint
CREATE INDEX "order_payments_to_return" ON "order_payments" USING btree ("created_at") WHERE late_state = 'RETURNING';--> statement-breakpoint
ALTER TABLE "ledger_balances" ADD CONSTRAINT "ledger_balances_credit" CHECK (pot <> 'CREDIT' or balance_cents >= 0);--> statement-breakpoint
ALTER TABLE "ledger_postings" ADD CONSTRAINT "ledger_postings_pot" CHECK ((user_id is null) = (pot is null));--> statement-breakpoint
-- What came in before was credited at once.
UPDATE order_payments SET late_state = 'CREDITED' WHERE is_credited AND amount_cents > 0;--> statement-breakpoint
-- Beside adding up to nothing: what is paid out was earned.
CREATE OR REPLACE FUNCTION ledger_adds_up() RETURNS trigger LANGUAGE plpgsql AS $$
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
  IF EXISTS (
    SELECT FROM ledger_postings JOIN ledger_transactions ON ledger_transactions.id = transaction_id
    WHERE transaction_id = moved AND type = 'PAYOUT' AND pot = 'CREDIT'
  ) THEN
    RAISE EXCEPTION 'Ledger transaction % pays out credit', moved
      USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_pays_out_earned';
  END IF;
  RETURN NULL;
END $$;
