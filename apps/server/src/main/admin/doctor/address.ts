import { connect } from 'node:tls';
import type { Config } from '../../config.ts';
import { type Check, nameOf, ok, problem, type Verdict, warning } from './finding.ts';

export const addressChecks = ({ baseUrl, isProduction, trustedProxies }: Config): Check[] => {
  const url = new URL(baseUrl);
  const isSecure = url.protocol === 'https:';
  return [
    { name: 'address', run: async () => [await checkAnswer(baseUrl)] },
    ...(isSecure ? [{ name: 'certificate', run: async () => [await checkCertificate(url)] }] : []),
    ...(isProduction
      ? [{ name: 'proxy', run: async () => [judgeProxy(isSecure, trustedProxies)] }]
      : []),
  ];
};

const answerWithinMs = 8000;

const checkAnswer = async (baseUrl: string): Promise<Verdict> => {
  try {
    const signal = AbortSignal.timeout(answerWithinMs);
    const answer = await fetch(`${baseUrl}/healthz`, { signal, redirect: 'manual' });
    const isHoldfast = (await answer.text()).includes('"alive"');
    if (answer.status === 200 && isHoldfast) return ok(`Holdfast answers at ${baseUrl}`);
    const what = answer.status === 200 ? 'something else' : `status ${answer.status}`;
    return problem(
      `${baseUrl} answers with ${what}`,
      'Let the proxy at BASE_URL lead to Holdfast.',
    );
  } catch (error) {
    return problem(
      `nothing answers at ${baseUrl} from this machine: ${nameOf(error)}`,
      'Start a process with ROLE=api or all, and check BASE_URL, its name in DNS and the proxy.',
    );
  }
};

const dayMs = 86_400_000;
const warnDays = 14;
const worstDays = 3;

const checkCertificate = async (url: URL): Promise<Verdict> => {
  const validTo = await readExpiry(url);
  if (validTo === undefined) {
    const advice = 'Let the proxy at BASE_URL terminate TLS.';
    return problem(`no certificate was shown for ${url.hostname}`, advice);
  }
  const days = Math.floor((validTo.getTime() - Date.now()) / dayMs);
  if (days >= warnDays) return ok(`good for ${days} more days`);
  const judge = days < worstDays ? problem : warning;
  const state = days < 0 ? `expired ${-days} days ago` : `ends in ${days} days`;
  return judge(state, "Renew it; look why the proxy's renewal did not.");
};

/** Without a check of the certificate: an expired one is to be looked at as well. */
const readExpiry = (url: URL): Promise<Date | undefined> =>
  new Promise((resolve) => {
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const socket = connect(
      { host, port: Number(url.port || 443), servername: host, rejectUnauthorized: false },
      () => {
        const { valid_to: validTo } = socket.getPeerCertificate();
        socket.destroy();
        resolve(validTo ? new Date(validTo) : undefined);
      },
    );
    socket.setTimeout(answerWithinMs, () => socket.destroy());
    socket.on('error', () => resolve(undefined));
    socket.on('close', () => resolve(undefined));
  });

/** Holdfast itself speaks plain HTTP: an HTTPS address has a proxy before it. */
const judgeProxy = (isSecure: boolean, trusted: readonly string[]): Verdict => {
  if (!isSecure) {
    return problem(
      'BASE_URL is not https: nobody can sign in, since cookies are marked Secure',
      'Put a proxy with a certificate before the service and set BASE_URL to its address.',
    );
  }
  return trusted.length > 0
    ? ok(`addresses of clients are taken from ${trusted.length} trusted proxies`)
    : warning(
        'TRUSTED_PROXIES is empty: all clients seem to come from the proxy and share its limits',
        'Set TRUSTED_PROXIES to the addresses of the proxy.',
      );
};
