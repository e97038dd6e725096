import type { DashboardEndpoints } from '@holdfast/contract';
import type { Handlers } from '../../../http/handler.ts';
import { conflict } from '../../../kernel/errors.ts';
import { Secret } from '../../../kernel/secret.ts';
import { sha256Hex } from '../../../kernel/sha256.ts';
import { findPlatformId, findUsername } from '../../accounts/queries.ts';
import { confirmSession, deleteOtherSessions } from '../queries.ts';
import { type CodeTools, checkCode, requireGoodCode } from './check-code.ts';
import { enableFactor, storeBegunFactor, storeRecoveryCodes } from './queries.ts';
import {
  newRecoveryCode,
  newTotpSecret,
  plainRecoveryCode,
  recoveryCodeCount,
  totpUri,
} from './rules.ts';
import { sealFactor } from './sealed.ts';
import { removeSecondFactor, setSecondFactor } from './switch.ts';

type SecondFactorEndpoints = Pick<
  DashboardEndpoints,
  'beginSecondFactor' | 'finishSecondFactor' | 'endSecondFactor' | 'confirmSession'
>;

export const secondFactorHandlers = (tools: CodeTools): Handlers<SecondFactorEndpoints> => ({
  async beginSecondFactor(tx, { account: { accountId } }) {
    const secret = newTotpSecret();
    const isBegun = await storeBegunFactor(tx, accountId, sealFactor(tools.ring, accountId, secret));
    if (!isBegun) throw conflict('There is a second factor already: switch it off first');
    const username = await findUsername(tx, accountId);
    return { secret, uri: totpUri(new Secret(secret), username) };
  },

  finishSecondFactor: {
    async askFirst(_db, { account: { accountId }, body }) {
      const verdict = await checkCode(tools, accountId, body.code);
      return async (tx, { actor, caller }) => {
        requireGoodCode(verdict);
        if (!(await enableFactor(tx, accountId))) {
          throw conflict('No second factor was begun, or it is on already');
        }
        const codes = newRecoveryCodes();
        const hashes = codes.map((code) => sha256Hex(plainRecoveryCode(code)));
        await storeRecoveryCodes(tx, accountId, hashes);
        await confirmSession(tx, caller.id);
        await setSecondFactor(tx, { accountId, actor }, true);
        // Whoever took over a session before now has shown no code for it.
        await deleteOtherSessions(tx, await findPlatformId(tx, accountId), caller.id);
        return { recoveryCodes: codes };
      };
    },
  },

  endSecondFactor: {
    async askFirst(_db, { account: { accountId }, body }) {
      const verdict = await checkCode(tools, accountId, body.code);
      return async (tx, { actor }) => {
        requireFactor(verdict);
        await removeSecondFactor(tx, { accountId, actor });
        return { mfaEnabled: false };
      };
    },
  },

  confirmSession: {
    async askFirst(_db, { account: { accountId }, body }) {
      const verdict = await checkCode(tools, accountId, body.code);
      return async (tx, { caller }) => {
        requireFactor(verdict);
        return { confirmedUntil: await confirmSession(tx, caller.id) };
      };
    },
  },
});

const requireFactor = (verdict: Awaited<ReturnType<typeof checkCode>>): void => {
  if (verdict.kind === 'none') throw conflict('There is no second factor');
  requireGoodCode(verdict);
};

const newRecoveryCodes = (): string[] =>
  Array.from({ length: recoveryCodeCount }, () =>
    newRecoveryCode(crypto.getRandomValues(new Uint8Array(16))),
  );
