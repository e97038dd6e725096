import type { Limits, Server } from '../queries/records.ts';

/** The list of servers has no account age; only the server itself has it. */
type Protected = Pick<
  Server,
  'captchaType' | 'vpnBlockEnabled' | 'altDetectEnabled' | 'firewallEnabled'
> &
  Partial<Pick<Server, 'minAccountAgeDays'>>;

type Protection = {
  key: string;
  /** On a badge. */
  short: string;
  label: string;
  isOn: boolean;
  /** For people to read. */
  state: string;
};

export const captchaLabels: Record<Server['captchaType'], string> = {
  NONE: 'None',
  POW: 'Built in',
  TURNSTILE: 'Turnstile',
  HCAPTCHA: 'hCaptcha',
};

const allIncluded: Pick<Limits, 'hasVpnDetection' | 'hasAltDetection' | 'hasFirewall'> = {
  hasVpnDetection: true,
  hasAltDetection: true,
  hasFirewall: true,
};

/** The checks of newcomers. One that is switched on but not in the plan has no effect. */
export const protectionsOf = (server: Protected, limits = allIncluded): Protection[] => {
  const { captchaType, minAccountAgeDays } = server;
  const captcha = {
    ...{ key: 'captcha', short: 'Captcha', label: 'Captcha', isOn: captchaType !== 'NONE' },
    state: captchaType === 'NONE' ? 'Off' : captchaLabels[captchaType],
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
  isEnabled: boolean,
  isInPlan: boolean,
): Protection => ({
  ...{ key, short, label, isOn: isEnabled && isInPlan },
  state: isEnabled ? (isInPlan ? 'On' : 'Not in your plan') : 'Off',
});
