import type { Config } from '../../config.ts';
import { type Check, ok, problem, type Verdict, warning } from './finding.ts';

export const billingCheck = (config: Config): Check => ({
  name: 'billing',
  run: async () => judgeBilling(config),
});

/** With one of a pair, payments are taken and never noticed, or noticed and never asked for. */
const judgeBilling = ({ isLocal, pay, billing }: Config): Verdict[] => {
  const ways = [
    { key: pay.card, keyName: 'BILLING_API_KEY', secret: billing.signingSecret },
    { key: pay.crypto, keyName: 'CRYPTO_API_KEY', secret: billing.merchantSecret },
  ];
  const secretNames = ['BILLING_SIGNING_SECRET', 'CRYPTO_MERCHANT_SECRET'];
  const faults = ways.flatMap(({ key, keyName, secret }, index) => {
    const secretName = secretNames[index];
    if (key && !secret) {
      const detail = `${keyName} is set without ${secretName}: payments would be taken and not noticed`;
      return [problem(detail, `Set ${secretName}, as the provider shows it.`)];
    }
    if (!key && secret) {
      const detail = `${secretName} is set without ${keyName}: this way to pay is not offered`;
      return [warning(detail, `Set ${keyName}, or remove ${secretName}.`)];
    }
    return [];
  });
  if (faults.length > 0) return faults;
  const offered = ways.filter(({ key }) => key).length;
  if (offered > 0) return [ok(`${offered} of 2 ways to pay are set up`)];
  return [ok(isLocal ? "payments go to the simulator's pay page" : 'no payments are taken')];
};
