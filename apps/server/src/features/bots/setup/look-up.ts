import { conflict, type HttpError, invalidField } from '../../../kernel/errors.ts';
import { Secret } from '../../../kernel/secret.ts';
import { onBehalfOf } from '../../../platform/client/breaker.ts';
import { PlatformFailure } from '../../../platform/failures.ts';
import type { PlatformOAuth } from '../../../platform/oauth/port.ts';
import { whilePersonWaits } from '../../../platform/oauth/while-waiting.ts';
import type { Application, Platform } from '../../../platform/port.ts';
import type { RefusalLimit } from '../use/refusal-limit.ts';

type Dependencies = {
  platform: Platform;
  oauth: Pick<PlatformOAuth, 'checkClient'>;
  refusals: RefusalLimit;
};

type LookUpDependencies = Pick<Dependencies, 'platform' | 'refusals'> & {
  checkSecret: CheckSecret;
};

type Credentials = { botToken: string; clientSecret?: string };

/** `isSecretGood` is null where no secret was given, or nobody can tell. */
type Found = { application: Application; isSecretGood: boolean | null };

/** A refusal is returned, because errors are thrown only in the transaction. */
export type LookUp = (
  accountId: string,
  credentials: Credentials,
) => Promise<Found | { refusal: HttpError }>;

const timeoutMs = 3000;
const noAnswer = 'The platform gave no answer: try again in a moment';

/** Asks the platform which application a token belongs to, and whether it knows the secret. */
export const createLookUp =
  ({ platform, refusals, checkSecret }: LookUpDependencies): LookUp =>
  async (accountId, { botToken, clientSecret }) => {
    await refusals.requireSomeLeft(accountId);
    const application = await asked(accountId, () =>
      platform.lookUpToken(new Secret(botToken), { timeoutMs }),
    );
    if (application === 'botTokenDead') {
      await refusals.count(accountId);
      return { refusal: invalidField('botToken', 'The platform refuses this token') };
    }
    if (typeof application === 'string') return { refusal: conflict(noAnswer) };
    if (clientSecret === undefined) return { application, isSecretGood: null };
    const checked = await checkSecret(accountId, { clientId: application.clientId, clientSecret });
    return 'refusal' in checked ? checked : { application, ...checked };
  };

type Client = { clientId: string; clientSecret: string };

export type CheckSecret = (
  accountId: string,
  client: Client,
) => Promise<Pick<Found, 'isSecretGood'> | { refusal: HttpError }>;

/** Asks the platform whether the application has this secret. */
export const createSecretCheck =
  ({ oauth, refusals }: Pick<Dependencies, 'oauth' | 'refusals'>): CheckSecret =>
  async (accountId, { clientId, clientSecret }) => {
    await refusals.requireSomeLeft(accountId);
    const client = { clientId, clientSecret: new Secret(clientSecret) };
    const failure = await asked(accountId, () => whilePersonWaits(() => oauth.checkClient(client)));
    if (failure !== 'clientRefused') return { isSecretGood: failure === undefined ? true : null };
    await refusals.count(accountId);
    const reason = 'The platform refuses this client secret for this bot';
    return { refusal: invalidField('clientSecret', reason) };
  };

/** The answer, or the kind of the failure. */
const asked = async <Answer>(accountId: string, call: () => Promise<Answer>) => {
  try {
    return await onBehalfOf(accountId, call);
  } catch (error) {
    if (!(error instanceof PlatformFailure)) throw error;
    return error.kind;
  }
};
