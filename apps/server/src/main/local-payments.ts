import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cardWebhookPath } from '../features/billing/card/webhook.ts';
import type { BillingSettings } from '../features/billing/tools.ts';
import type { Log } from '../kernel/log.ts';
import { Secret } from '../kernel/secret.ts';
import { asHeader, type Mailer } from '../integrations/mail/mailer.ts';
import type { PayAccess } from './payments.ts';
import { send } from './simulator-control.ts';

type Payments = { billing: BillingSettings; pay: PayAccess };

/** The simulator takes any. */
const pretendKey = new Secret('sk_test_pretended');

/** Where nothing is set, local mode pays at its own simulator, with a secret that nobody has to know. */
export const preparePayments = async (
  { billing, pay, dataDir }: Payments & { dataDir: string },
  simulatorUrl: string | undefined,
): Promise<Payments> => {
  if (simulatorUrl === undefined) return { billing, pay };
  const secret = await loadSecret(dataDir);
  const access = { apiUrl: simulatorUrl, key: pretendKey };
  return {
    billing: {
      ...billing,
      signingSecret: billing.signingSecret ?? secret,
      merchantSecret: billing.merchantSecret ?? secret,
    },
    pay: { card: pay.card ?? access, crypto: pay.crypto ?? access },
  };
};

/** Kept in a file, since several services over one data folder share one simulator. */
const loadSecret = async (dataDir: string): Promise<Secret> => {
  const file = join(dataDir, 'payments.secret');
  await mkdir(dataDir, { recursive: true });
  const made = `whsec_${crypto.randomUUID()}${crypto.randomUUID()}`.replaceAll('-', '');
  try {
    await writeFile(file, `${made}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    if (!isThere) throw error;
  }
  const kept = (await readFile(file, 'utf8')).trim();
  if (kept === '') throw new Error(`${file} is empty: delete it, and another is made`);
  return new Secret(kept);
};

const patienceMs = 5000;

type Place = { simulatorUrl: string | undefined; serviceUrl: string };

/** Our simulator, where there is one, learns where the service hears of payments, once it does. */
export const introduceToSimulator = async (
  { simulatorUrl, serviceUrl }: Place,
  { signingSecret, merchantSecret }: BillingSettings,
  log: Log,
): Promise<void> => {
  if (simulatorUrl === undefined) return;
  const body = {
    webhookUrl: `${serviceUrl}${cardWebhookPath}`,
    signingSecret: signingSecret?.reveal(),
    merchantSecret: merchantSecret?.reveal(),
  };
  const letter = { method: 'PUT', body, patienceMs };
  const answer = await send(`${simulatorUrl}/__sim/payments`, letter).catch(() => undefined);
  if (answer?.status === 204) return;
  log.warn({ status: answer?.status }, 'the simulator will not tell of payments');
};

/** Mail is shown by the simulator instead of being sent. */
export const createOutboxMailer = (simulatorUrl: string, from: string): Mailer => ({
  async send({ to, subject, text }) {
    const body = {
      from,
      to: `${asHeader(to.name)} <${asHeader(to.address)}>`,
      subject: asHeader(subject),
      text,
    };
    const letter = { method: 'POST', body, patienceMs };
    const { status } = await send(`${simulatorUrl}/__sim/outbox`, letter);
    if (status !== 201) throw new Error(`The simulator's outbox did not take the mail (${status})`);
  },
});
