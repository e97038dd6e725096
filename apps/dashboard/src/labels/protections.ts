import type { Limits, Server } from '../queries/records.ts';

type Protected = Pick<
  Server,
  | 'captchaType'
  | 'vpnBlockEnabled'
  | 'altDetectEnabled'
  | 'firewallEnabled'
  | 'minAccountAgeDays'
  | 'antiNukeEnabled'
  | 'antiRaidEnabled'
>;

type Protection = {
  label: string;
  isOn: boolean;
  /** For people to read. */
  state: string;
  /** Where it is changed, below the address of the server. */
  path: string;
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

/** What attackers and newcomers meet. A check that is switched on but not in the plan has no effect. */
export const protectionsOf = (server: Protected, limits = allIncluded): Protection[] => {
  const { captchaType, minAccountAgeDays } = server;
  return [
    stopped('Stop attackers', server.antiNukeEnabled),
    stopped('Stop raids', server.antiRaidEnabled),
    {
      ...{ label: 'Captcha', isOn: captchaType !== 'NONE', path: '/settings#captcha' },
      state: captchaType === 'NONE' ? 'Off' : captchaLabels[captchaType],
    },
    gated('VPN check', server.vpnBlockEnabled, limits.hasVpnDetection),
    gated('Second accounts', server.altDetectEnabled, limits.hasAltDetection),
    gated('Firewall', server.firewallEnabled, limits.hasFirewall),
    {
      ...{ label: 'Minimum account age', isOn: minAccountAgeDays > 0, path: '/settings#checks' },
      state: minAccountAgeDays > 0 ? `${minAccountAgeDays} days` : 'Off',
    },
  ];
};

const stopped = (label: string, isOn: boolean): Protection => ({
  ...{ label, isOn, state: isOn ? 'On' : 'Off', path: '/protection' },
});

const gated = (label: string, isEnabled: boolean, isInPlan: boolean): Protection => ({
  ...{ label, isOn: isEnabled && isInPlan, path: '/settings#checks' },
  state: isEnabled ? (isInPlan ? 'On' : 'Not in your plan') : 'Off',
});
