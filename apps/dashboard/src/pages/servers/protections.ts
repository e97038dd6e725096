import type { Output } from '@holdfast/sdk';

type Limits = Output<'getAccount'>['limits'];
type Details = Output<'getServer'>;

/** What the list of servers tells; the account age only their own page. */
type Guarded = Pick<
  Details,
  'captchaType' | 'vpnBlockEnabled' | 'altDetectEnabled' | 'firewallEnabled'
> &
  Partial<Pick<Details, 'minAccountAgeDays'>>;

export type Protection = {
  key: string;
  /** On a badge. */
  short: string;
  label: string;
  isOn: boolean;
  /** In words: how it stands. */
  state: string;
};

export const captchaWords: Record<Details['captchaType'], string> = {
  NONE: 'None',
  POW: 'Built in',
  TURNSTILE: 'Turnstile',
  HCAPTCHA: 'hCaptcha',
};

const everything: Pick<Limits, 'hasVpnDetection' | 'hasAltDetection' | 'hasFirewall'> = {
  hasVpnDetection: true,
  hasAltDetection: true,
  hasFirewall: true,
};

/** What stands between a newcomer and the server; what is on without being in the plan does not act. */
export const protectionsOf = (server: Guarded, limits = everything): Protection[] => {
  const { captchaType, minAccountAgeDays } = server;
  const captcha = {
    ...{ key: 'captcha', short: 'Captcha', label: 'Captcha', isOn: captchaType !== 'NONE' },
    state: captchaType === 'NONE' ? 'Off' : captchaWords[captchaType],
  };
  const age = {
    ...{ key: 'age', short: 'Account age', label: 'Minimum account age' },
    isOn: (minAccountAgeDays ?? 0) > 0,
    state: minAccountAgeDays ? `${minAccountAgeDays} days` : 'Off',
  };
  return [
    captcha,
    gated('vpn', 'VPN', 'VPN check', server.vpnBlockEnabled, limits.hasVpnDetection),
    gated('alt', 'Alts', 'Second accounts', server.altDetectEnabled, limits.hasAltDetection),
    gated('firewall', 'Firewall', 'Firewall', server.firewallEnabled, limits.hasFirewall),
    ...(minAccountAgeDays === undefined ? [] : [age]),
  ];
};

const gated = (
  key: string,
  short: string,
  label: string,
  isWanted: boolean,
  isInPlan: boolean,
): Protection => ({
  ...{ key, short, label, isOn: isWanted && isInPlan },
  state: isWanted ? (isInPlan ? 'On' : 'Not in your plan') : 'Off',
});
