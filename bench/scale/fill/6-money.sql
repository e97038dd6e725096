-- fill subscriptions
insert into subscriptions (id, provider, provider_ref, customer_id, account_id, plan, status, current_period_end, changes_at)
select scale.id_at(20, no, created_at), 'CARD', 'sub_' || no, 'cus_' || no, id, 'BUSINESS', 'ACTIVE', ends, ends
from (select *, now() + (no % 30) * interval '1 day' + interval '1 hour' as ends from scale.accounts) as account
where no % 5 >= 3 or no = 1;

-- fill billing_customers
insert into billing_customers (customer_id, account_id) select 'cus_' || no, id from scale.accounts where no % 5 >= 3;

-- fill billing_events
insert into billing_events (id, provider, provider_event_id, type, outcome, account_id, subject_ref, created_at)
select uuidv7(at - now()), 'CARD', 'evt_' || no || '_' || nth, 'invoice.paid', 'APPLIED', id, 'sub_' || no, at
from (
  select id, no, nth, created_at + (now() - created_at) * nth / 40 as at
  from scale.accounts cross join generate_series(1, 40) as nth
) as event;

-- fill billing_invoices
insert into billing_invoices (id, account_id, plan, pay_with, amount_cents, currency, expires_at, paid_at, created_at)
select uuidv7(at - now()), id, 'BUSINESS', 'CRYPTO', 4900, 'EUR', at, at, at
from (
  select id, created_at + (now() - created_at) * nth / 8 - interval '9 days' as at
  from scale.accounts cross join generate_series(1, 8) as nth
) as invoice;

-- fill billing_notices
insert into billing_notices (id, kind, subject, account_id, subscription_id, sent_at, created_at)
select uuidv7(created_at - now()), 'ENDING', provider_ref, account_id, id, created_at, created_at from subscriptions;

-- fill billing_charges
insert into billing_charges (charge_id, customer_id, account_id, payment_intent, currency, refunded_cents)
select 'ch_' || no || '_' || nth, 'cus_' || no, id, 'pi_' || no || '_' || nth, 'EUR', 0
from scale.accounts cross join generate_series(1, 10) as nth where no % 5 >= 3;

-- fill billing_payment_refs
insert into billing_payment_refs (ref, subscription_ref)
select 'pi_' || no || '_' || nth, 'sub_' || no from scale.accounts cross join generate_series(1, 10) as nth where no % 5 >= 3;

-- fill billing_disputes
insert into billing_disputes (dispute_id, charge_id, payment_intent, amount_cents, currency, state, account_id)
select 'dp_' || no, 'ch_' || no || '_1', 'pi_' || no || '_1', 4900, 'EUR', 'WON', id from scale.accounts where no % 100 = 3;

-- fill listings
-- Five for each account, a thousandth of the members for the first.
insert into listings (id, seller_id, title, description, category, price_cents, currency, is_published, sales_count,
  created_at, updated_at, search_text)
select scale.id_at(21, no::bigint * 1000000 + nth, at), id, title, 'Roles and channels for a crew.',
  (array['TEMPLATE', 'DESIGN', 'BOT', 'SERVICE'])[1 + (no + nth) % 4], 100 + (no * 31 + nth * 17) % 9900, 'EUR', nth % 10 > 0,
  (no * 7 + nth) % 200, at, at, lower(title)
from (
  select *, created_at + (now() - created_at) * nth / 21 as at, 'A harbour for crew ' || no || '-' || nth as title
  from scale.accounts cross join lateral generate_series(1, case when no = 1 then 20 else 5 end) as nth
) as listing;

-- fill listing_counts
insert into listing_counts (listed_by, category, level, cell, value, chunk, total)
select places.*, count(*)
from listings, listing_places(listings.category, price_cents, sales_count, seq) as places
where is_published group by 1, 2, 3, 4, 5, 6;

-- fill templates
insert into templates (id, account_id, listing_id, manifest)
select uuidv7(created_at - now()), seller_id, id, repeat('0', 64) from listings where category = 'TEMPLATE';

-- fill scale.orders
create table scale.orders as
select row_number() over () as no, listings.id as listing_id, listings.title, listings.seller_id, buyers.id as buyer_id,
  listings.price_cents, now() - random() * interval '400 days' as at
from (select *, row_number() over (order by seq) as nth from listings) as listings
cross join generate_series(1, 4) as sale
join scale.accounts as buyers on buyers.no = case when sale = 4 and nth % 20 = 0 then 1 else 1 + (nth * 13 + sale * 7) % :accounts end;

-- fill orders
insert into orders (id, listing_id, listing_title, delivery_type, buyer_id, seller_id, quantity, unit_price_cents, total_cents,
  fee_cents, currency, pay_with, status, delivered, delivered_at, paid_at, completed_at, created_at, updated_at)
select scale.id_at(22, no, at), listing_id, title, 'AUTOMATIC', buyer_id, seller_id, 1, price_cents, price_cents,
  price_cents / 10, 'EUR', 'CARD', 'COMPLETED', 1, at, at, at, at, at
from scale.orders;

-- fill order_payments
insert into order_payments (id, order_id, provider, provider_ref, payment_intent, amount_cents, currency, is_credited, created_at)
select uuidv7(at - now()), scale.id_at(22, no, at), 'CARD', 'cs_' || no, 'pio_' || no, price_cents, 'EUR', true, at
from scale.orders;

-- fill ledger_transactions
insert into ledger_transactions (id, type, reference, once_key, created_at)
select scale.id_at(23, no, at), 'SALE', no::text, 'sale:' || no, at from scale.orders;

-- fill ledger_postings
insert into ledger_postings (id, transaction_id, account, account_id, pot, amount_cents, currency, balance_cents)
select uuidv7(at - now()), scale.id_at(23, no, at), case when is_seller then 'user' else 'market' end,
  case when is_seller then seller_id end, case when is_seller then 'EARNED' end,
  case when is_seller then price_cents else -price_cents end, 'EUR', case when is_seller then price_cents end
from scale.orders cross join (values (true), (false)) as sides (is_seller) order by no;

-- fill ledger_balances
insert into ledger_balances (account_id, currency, pot, balance_cents)
select seller_id, 'EUR', 'EARNED', sum(price_cents) from scale.orders group by 1;

-- fill payouts
insert into payouts (id, account_id, amount_cents, currency, status, created_at, paid_at)
select uuidv7(created_at - now()), id, 100, 'EUR', 'PAID', created_at, created_at
from scale.accounts cross join generate_series(1, 3);

-- fill idempotent_answers
insert into idempotent_answers (caller_id, idempotency_key, request_hash, status, body, created_at)
select id, 'key-' || nth, repeat('0', 64), 201, '{"data": {"id": "1"}}', now() - nth * interval '2.5 hours'
from scale.accounts cross join generate_series(0, 9) as nth;

-- fill platform_refusals
insert into platform_refusals (account_id, at, total)
select id, now() - nth * interval '1 minute', 1 from scale.accounts cross join generate_series(1, 5) as nth where no % 20 = 0;

-- fill erasures
insert into erasures (account_id, person_hash, index_hash)
select id, lpad(to_hex(nth), 64, '0'), nth from scale.accounts cross join generate_series(1, 5) as nth;

-- fill device_authorizations
insert into device_authorizations (id, device_code_hash, user_code, address, network, scopes, interval_seconds, expires_at)
select uuidv7(), lpad(to_hex(no), 64, '0'), 'code-' || no, lpad(to_hex(no), 64, '0'), lpad(to_hex(no / 4), 64, '0'), '{*}', 5,
  now() + (no % 20 - 5) * interval '1 minute'
from scale.accounts where no % 10 = 0;

-- fill sign_ins
insert into sign_ins (state_hash, browser_hash, code_verifier, next, expires_at)
select lpad(to_hex(no), 64, '0'), repeat('0', 64), repeat('v', 43), '/', now() + (no % 20 - 5) * interval '1 minute'
from scale.accounts where no % 10 = 0;
