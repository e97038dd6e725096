import type { DashboardEndpoints } from '@holdfast/contract';
import type { Handlers } from '../../../http/handler.ts';
import { conflict } from '../../../kernel/errors.ts';
import { sha256Hex } from '../../../kernel/hash.ts';
import { Secret } from '../../../kernel/secret.ts';
import { findPlatformId, findUsername } from '../../accounts/queries.ts';
import { confirmSession, deleteOtherSessions } from '../queries.ts';
import {
  type CodeDependencies,
  type CodeVerdict,
  checkCode,
  requireGoodCode,
} from './check-code.ts';
import { sealFactor } from './factor-secret.ts';
import {
  enableFactor,
  removeSecondFactor,
  setSecondFactor,
  storePendingFactor,
  storeRecoveryCodes,
} from './queries.ts';
import {
  newRecoveryCode,
  newTotpSecret,
  normalizeRecoveryCode,
  recoveryCodeCount,
  totpUri,
} from './rules.ts';

type SecondFactorEndpoints = Pick<
  DashboardEndpoints,
  'beginSecondFactor' | 'finishSecondFactor' | 'endSecondFactor' | 'confirmSession'
>;

export const secondFactorHandlers = (
  dependencies: CodeDependencies,
): Handlers<SecondFactorEndpoints> => ({
  async beginSecondFactor(tx, { account: { accountId } }) {
    const secret = newTotpSecret();
    const sealed = sealFactor(dependencies.ring, accountId, secret);
    const isStored = await storePendingFactor(tx, accountId, sealed);
    if (!isStored) throw conflict('There is a second factor already: switch it off first');
    const username = await findUsername(tx, accountId);
    return { secret, uri: totpUri(new Secret(secret), username) };
  },

  finishSecondFactor: {
    async askFirst(_db, { account: { accountId }, body }) {
      const verdict = await checkCode(dependencies, accountId, body.code);
      return async (tx, { actor, caller }) => {
        requireGoodCode(verdict);
        if (!(await enableFactor(tx, accountId))) {
          throw conflict('No second factor was begun, or it is on already');
        }
        const codes = newRecoveryCodes();
        const hashes = codes.map((code) => sha256Hex(normalizeRecoveryCode(code)));
        await storeRecoveryCodes(tx, accountId, hashes);
        await confirmSession(tx, caller.id);
        await setSecondFactor(tx, { accountId, actor }, true);
        // A session that was taken over before now has shown no code.
        await deleteOtherSessions(tx, await findPlatformId(tx, accountId), caller.id);
        return { recoveryCodes: codes };
      };
    },
  },

  endSecondFactor: {
    async askFirst(_db, { account: { accountId }, body }) {
      const verdict = await checkCode(dependencies, accountId, body.code);
      return async (tx, { actor }) => {
        requireFactor(verdict);
        await removeSecondFactor(tx, { accountId, actor });
        return { mfaEnabled: false };
      };
    },
  },

  confirmSession: {
    async askFirst(_db, { account: { accountId }, body }) {
      const verdict = await checkCode(dependencies, accountId, body.code);
      return async (tx, { caller }) => {
        requireFactor(verdict);
        return { confirmedUntil: await confirmSession(tx, caller.id) };
      };
    },
  },
});

const requireFactor = (verdict: CodeVerdict): void => {
  if (verdict.kind === 'none') throw conflict('There is no second factor');
  requireGoodCode(verdict);
};

const newRecoveryCodes = (): string[] =>
  Array.from({ length: recoveryCodeCount }, () =>
    newRecoveryCode(crypto.getRandomValues(new Uint8Array(16))),
  );
