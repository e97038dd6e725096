import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cardWebhookPath } from '../../features/billing/card/webhook.ts';
import type { BillingSettings } from '../../features/billing/events/process-event.ts';
import { headerText, type Mailer } from '../../integrations/mailer.ts';
import { send } from '../../integrations/simulator/send.ts';
import type { Log } from '../../kernel/log.ts';
import { Secret } from '../../kernel/secret.ts';
import type { PayAccess } from '../payments.ts';

type Payments = { billing: BillingSettings; pay: PayAccess };

/** The simulator accepts any key. */
const simulatedKey = new Secret('sk_test_simulated');

/** Without payment settings, local mode pays at its own simulator with a generated secret. */
export const preparePayments = async (
  { billing, pay, dataDir }: Payments & { dataDir: string },
  simulatorUrl: string | undefined,
): Promise<Payments> => {
  if (simulatorUrl === undefined) return { billing, pay };
  const secret = await loadSecret(dataDir);
  const access = { apiUrl: simulatorUrl, key: simulatedKey };
  return {
    billing: {
      ...billing,
      signingSecret: billing.signingSecret ?? secret,
      merchantSecret: billing.merchantSecret ?? secret,
    },
    pay: { card: pay.card ?? access, crypto: pay.crypto ?? access },
  };
};

/** Kept in a file, because several services over one data folder share one simulator. */
const loadSecret = async (dataDir: string): Promise<Secret> => {
  const file = join(dataDir, 'payments.secret');
  await mkdir(dataDir, { recursive: true });
  const generated = `whsec_${crypto.randomUUID()}${crypto.randomUUID()}`.replaceAll('-', '');
  try {
    await writeFile(file, `${generated}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    if (!exists) throw error;
  }
  const secret = (await readFile(file, 'utf8')).trim();
  if (secret === '') throw new Error(`${file} is empty: delete it to generate another`);
  return new Secret(secret);
};

const timeoutMs = 5000;

type Urls = { simulatorUrl: string | undefined; serviceUrl: string };

/** Tells the simulator, if there is one, where to send the events of payments. */
export const registerWebhooks = async (
  { simulatorUrl, serviceUrl }: Urls,
  { signingSecret, merchantSecret }: BillingSettings,
  log: Log,
): Promise<void> => {
  if (simulatorUrl === undefined) return;
  const body = {
    webhookUrl: `${serviceUrl}${cardWebhookPath}`,
    signingSecret: signingSecret?.reveal(),
    merchantSecret: merchantSecret?.reveal(),
  };
  const options = { method: 'PUT', body, timeoutMs };
  const answer = await send(`${simulatorUrl}/__sim/payments`, options).catch(() => undefined);
  if (answer?.status === 204) return;
  log.warn({ status: answer?.status }, 'the simulator will not send payment events');
};

/** Mail is shown by the simulator instead of being sent. */
export const createOutboxMailer = (simulatorUrl: string, from: string): Mailer => ({
  async send({ to, subject, text }) {
    const body = {
      from,
      to: headerText(to),
      subject: headerText(subject),
      text,
    };
    const options = { method: 'POST', body, timeoutMs };
    const { status } = await send(`${simulatorUrl}/__sim/outbox`, options);
    if (status !== 201) throw new Error(`The simulator's outbox refused the mail (${status})`);
  },
});
