import type Stripe from 'stripe';
import { once } from '../../../kernel/concurrency.ts';
import { DeadlinePassed, withinDeadline } from '../../../kernel/deadline.ts';
import type { Log } from '../../../kernel/log.ts';
import type { ProviderAccess } from '../checkout/open-checkout.ts';
import { connectToCardProvider, describeFailure } from './client.ts';

/**
 * Why the provider did not do it: the card was declined, a payment is open, or it does not know of this.
 * SILENT: there was no answer in time, and the last call may still take effect.
 */
export type CardRefusal = 'DECLINED' | 'UNPAID' | 'MISSING' | 'UNREACHABLE' | 'SILENT';

export type CardCallDependencies = { access: ProviderAccess; log: Log; patience?: number };

/** Throws once nobody waits for the answer any more. */
export type RequireTime = () => void;

type AskProvider = <Answer>(
  work: (stripe: Stripe, requireTime: RequireTime) => Promise<Answer>,
) => Promise<Answer | { refusal: CardRefusal }>;

/** Less than the HTTP request's 4.5 seconds, of which waiting for another change takes a part. */
const timeoutMs = 3000;
/** The library gives up so much later: by then it is known that nobody waits, and that the call may take effect. */
const laterMs = 1000;

/**
 * For the calls that a person waits for. All of one `work` have to end within the time; one that makes
 * several changes asks `requireTime` before each, so that none is made after the person was answered.
 */
export const createAskProvider = ({
  access,
  log,
  patience = 1,
}: CardCallDependencies): AskProvider => {
  const ms = timeoutMs * patience;
  const connect = once(() => connectToCardProvider(access, ms + laterMs));
  return async (work) => {
    const provider = await connect();
    try {
      return await withinDeadline({ ms, lastMs: ms }, (deadline) =>
        work(provider.stripe, () => {
          if (deadline.isPassed()) throw new DeadlinePassed(ms);
        }),
      );
    } catch (error) {
      const otherRefusal = error instanceof DeadlinePassed ? 'SILENT' : 'UNREACHABLE';
      const refusal = provider.isProviderError(error) ? refusalOf(error) : otherRefusal;
      if (refusal === 'UNREACHABLE' || refusal === 'SILENT') {
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
