import { createHash, randomBytes } from 'node:crypto';

export type Challenge = { method: 'S256' | 'plain'; value: string };

export type CodeRequest = {
  applicationId: string;
  userId: string;
  scopes: string[];
  redirectUri: string;
  challenge?: Challenge;
};

export type AuthorizationCode = CodeRequest & {
  expiresAtMs: number;
  /** Set at the first use: a second use revokes what the first one gave. */
  grantId?: string;
};

export type Presented = { applicationId: string; redirectUri: string; verifier?: string };

export type Codes = {
  make(request: CodeRequest): string;
  find(code: string): AuthorizationCode | undefined;
};

const lifeMs = 600_000;

/** Single-use codes between the authorize page and the exchange. */
export const createCodes = (now: () => number): Codes => {
  const codes = new Map<string, AuthorizationCode>();

  // A map keeps the order of insertion, and all codes live equally long: the oldest come first.
  const dropExpired = (): void => {
    for (const [code, { expiresAtMs }] of codes) {
      if (expiresAtMs > now()) return;
      codes.delete(code);
    }
  };

  return {
    make: (request) => {
      dropExpired();
      const code = randomBytes(21).toString('base64url');
      codes.set(code, { ...request, expiresAtMs: now() + lifeMs });
      return code;
    },
    find: (code) => {
      const found = codes.get(code);
      return found !== undefined && found.expiresAtMs > now() ? found : undefined;
    },
  };
};

/** Whether who presents a code is the one it was made for. */
export const isCodeFor = (code: AuthorizationCode, presented: Presented): boolean =>
  code.applicationId === presented.applicationId &&
  code.redirectUri === presented.redirectUri &&
  isProof(code.challenge, presented.verifier);

const isProof = (challenge: Challenge | undefined, verifier: string | undefined): boolean => {
  // A verifier without a challenge means that somebody took the challenge away on the way here.
  if (challenge === undefined || verifier === undefined) return challenge === verifier;
  if (!/^[\w.~-]{43,128}$/.test(verifier)) return false;
  if (challenge.method === 'plain') return verifier === challenge.value;
  return createHash('sha256').update(verifier).digest('base64url') === challenge.value;
};
