import type Stripe from 'stripe';
import { once } from '../../../kernel/concurrency.ts';
import { withinDeadline } from '../../../kernel/deadline.ts';
import type { Log } from '../../../kernel/log.ts';
import type { ProviderAccess } from '../checkout/open-checkout.ts';
import { connectToCardProvider, describeFailure } from './client.ts';

/** Why the provider did not do it: the card was declined, a payment is open, or it does not know of this. */
export type CardRefusal = 'DECLINED' | 'UNPAID' | 'MISSING' | 'UNREACHABLE';

export type CardCallDependencies = { access: ProviderAccess; log: Log; patience?: number };

type AskProvider = <Answer>(
  work: (stripe: Stripe) => Promise<Answer>,
) => Promise<Answer | { refusal: CardRefusal }>;

/** Less than the HTTP request's 4.5 seconds, of which waiting for another change takes a part. */
const timeoutMs = 3000;

/** For the calls that a person waits for. All of one `work` have to end within the time. */
export const createAskProvider = ({
  access,
  log,
  patience = 1,
}: CardCallDependencies): AskProvider => {
  const ms = timeoutMs * patience;
  const connect = once(() => connectToCardProvider(access, ms));
  return async (work) => {
    const provider = await connect();
    try {
      return await withinDeadline({ ms, lastMs: ms }, () => work(provider.stripe));
    } catch (error) {
      const refusal = provider.isProviderError(error) ? refusalOf(error) : 'UNREACHABLE';
      if (refusal === 'UNREACHABLE') {
        log.warn(describeFailure(provider, error), 'the card provider did not do what was asked');
      }
      return { refusal };
    }
  };
};

type ProviderError = { statusCode?: number | undefined; code?: string | undefined };

const refusalOf = ({ statusCode, code }: ProviderError): CardRefusal => {
  if (statusCode === 402) return 'DECLINED';
  return statusCode === 404 || code === 'resource_missing' ? 'MISSING' : 'UNREACHABLE';
};
