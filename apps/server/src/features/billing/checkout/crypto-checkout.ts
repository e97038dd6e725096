import { httpUrl } from '@holdfast/contract';
import { z } from 'zod';
import type { Log } from '../../../kernel/log.ts';
import { fetchLimited } from '../../../platform/client/transport.ts';
import {
  type CheckoutProvider,
  type CheckoutRequest,
  descriptionOf,
  lifetimeMinutes,
  maxAnswerBytes,
  type ProviderDependencies,
  paidPath,
  planCurrency,
  referenceOf,
  returnPath,
  timeoutMs,
} from './open-checkout.ts';

const invoiceShape = z.object({
  data: z.object({
    track_id: z.union([z.string().min(1).max(255), z.int()]).transform(String),
    payment_url: httpUrl,
    expired_at: z.int().positive(),
  }),
});

type CryptoDependencies = ProviderDependencies & {
  /** Where the provider sends its notifications. */
  callbackPath: string;
};

/** The checkout is an invoice of the cryptocurrency provider. */
export const cryptoCheckoutProvider = ({
  access,
  baseUrl,
  log,
  callbackPath,
}: CryptoDependencies): CheckoutProvider => {
  const url = `${access.apiUrl}/v1/payment/invoice`;
  const callbackUrl = `${baseUrl}${callbackPath}`;
  const headers = {
    'Content-Type': 'application/json',
    merchant_api_key: access.key.reveal(),
  };
  return async (request) => {
    const body = JSON.stringify({
      ...invoiceFor(request),
      callback_url: callbackUrl,
      return_url: `${baseUrl}${returnPath(paidPath, request)}`,
    });
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const init = { method: 'POST', headers, body, signal };
      const answer = await fetchLimited(url, init, maxAnswerBytes);
      return await parseAnswer(answer, log);
    } catch (error) {
      log.warn({ type: error instanceof Error ? error.name : 'unknown' }, failureMessage);
      return undefined;
    }
  };
};

const failureMessage = 'the crypto provider made no invoice';

const invoiceFor = (request: CheckoutRequest) => ({
  amount: request.amountCents / 100,
  currency: planCurrency,
  lifetime: lifetimeMinutes,
  // An invoice counts as paid only when it is paid in full.
  under_paid_coverage: 0,
  order_id: referenceOf(request),
  description: descriptionOf(request),
});

const parseAnswer = async (answer: Response, log: Log) => {
  const parsed = invoiceShape.safeParse(await answer.json());
  if (!answer.ok || !parsed.success) {
    log.warn({ status: answer.status }, failureMessage);
    return undefined;
  }
  const { track_id, payment_url, expired_at } = parsed.data.data;
  return {
    providerRef: track_id,
    payUrl: payment_url,
    expiresAt: new Date(expired_at * 1000),
  };
};
