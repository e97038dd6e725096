import { createHash, randomBytes } from 'node:crypto';

export type Challenge = { method: 'S256' | 'plain'; value: string };

type CodeRequest = {
  applicationId: string;
  userId: string;
  scopes: string[];
  redirectUri: string;
  challenge?: Challenge;
};

type AuthorizationCode = CodeRequest & {
  expiresAtMs: number;
  /** Set at the first use: a second use revokes this grant. */
  grantId?: string;
};

type Redemption = { applicationId: string; redirectUri: string; verifier?: string };

export type Codes = {
  create(request: CodeRequest): string;
  find(code: string): AuthorizationCode | undefined;
};

const lifetimeMs = 600_000;

/** Single-use codes that the authorize page issues and the token endpoint redeems. */
export const createCodes = (now: () => number): Codes => {
  const codes = new Map<string, AuthorizationCode>();

  // A map keeps insertion order and all codes have the same lifetime, so the oldest come first.
  const deleteExpired = (): void => {
    for (const [code, { expiresAtMs }] of codes) {
      if (expiresAtMs > now()) return;
      codes.delete(code);
    }
  };

  return {
    create: (request) => {
      deleteExpired();
      const code = randomBytes(21).toString('base64url');
      codes.set(code, { ...request, expiresAtMs: now() + lifetimeMs });
      return code;
    },
    find: (code) => {
      const found = codes.get(code);
      return found !== undefined && found.expiresAtMs > now() ? found : undefined;
    },
  };
};

/** Whether the code was issued for this client, redirect URI and PKCE verifier. */
export const isRedeemable = (code: AuthorizationCode, redemption: Redemption): boolean =>
  code.applicationId === redemption.applicationId &&
  code.redirectUri === redemption.redirectUri &&
  matchesChallenge(code.challenge, redemption.verifier);

const matchesChallenge = (
  challenge: Challenge | undefined,
  verifier: string | undefined,
): boolean => {
  // A verifier without a challenge means that the challenge was stripped from the request.
  if (challenge === undefined || verifier === undefined) return challenge === verifier;
  if (!/^[\w.~-]{43,128}$/.test(verifier)) return false;
  if (challenge.method === 'plain') return verifier === challenge.value;
  return createHash('sha256').update(verifier).digest('base64url') === challenge.value;
};
