import { httpUrl } from '@holdfast/contract';
import { z } from 'zod';
import type { Log } from '../../../kernel/log.ts';
import { fetchLimited } from '../../../platform/transport.ts';
import {
  type AskForOffer,
  type Demand,
  largestAnswerBytes,
  lifetimeMinutes,
  nameOf,
  type ProviderTools,
  paidForOf,
  paidPath,
  patienceMs,
  planCurrency,
} from './provider.ts';

const invoiceShape = z.object({
  data: z.object({
    track_id: z.union([z.string().min(1).max(255), z.int()]).transform(String),
    payment_url: httpUrl,
    expired_at: z.int().positive(),
  }),
});

type Tools = ProviderTools & {
  /** Where the provider tells us what became of it. */
  callbackPath: string;
};

/** An invoice of the cryptocurrency provider. */
export const askCryptoProvider = ({ access, baseUrl, log, callbackPath }: Tools): AskForOffer => {
  const url = `${access.apiUrl}/v1/payment/invoice`;
  const callbackUrl = `${baseUrl}${callbackPath}`;
  const headers = {
    'Content-Type': 'application/json',
    merchant_api_key: access.key.reveal(),
  };
  return async (demand) => {
    const body = JSON.stringify({
      ...wishFor(demand),
      callback_url: callbackUrl,
      return_url: `${baseUrl}${paidPath}`,
    });
    const signal = AbortSignal.timeout(patienceMs);
    try {
      const init = { method: 'POST', headers, body, signal };
      const answer = await fetchLimited(url, init, largestAnswerBytes);
      return await readOffer(answer, log);
    } catch (error) {
      log.warn({ type: error instanceof Error ? error.name : 'unknown' }, refusalWords);
      return undefined;
    }
  };
};

const refusalWords = 'the crypto provider made no invoice';

const wishFor = (demand: Demand) => ({
  amount: demand.amountCents / 100,
  currency: planCurrency,
  lifetime: lifetimeMinutes,
  // What is called paid is to be paid in full.
  under_paid_coverage: 0,
  order_id: paidForOf(demand),
  description: nameOf(demand),
});

const readOffer = async (answer: Response, log: Log) => {
  const parsed = invoiceShape.safeParse(await answer.json());
  if (!answer.ok || !parsed.success) {
    log.warn({ status: answer.status }, refusalWords);
    return undefined;
  }
  const { track_id, payment_url, expired_at } = parsed.data.data;
  return {
    providerRef: track_id,
    payUrl: payment_url,
    expiresAt: new Date(expired_at * 1000),
  };
};
